-- SPDX-License-Identifier: MPL-2.0
--
-- Appends an operation to the ledger, with the server's time and identity (log.go).
--
--   KEYS: the ledger
--   ARGV: how many of its bytes the caller knows, and their SHA-1; what replaces them, or nothing;
--         the operation; for how many milliseconds to keep the ledger
--   reply: how many of the bytes are still the same, and what follows them

local stored, known = redis.call('GET', KEYS[1]) or '', tonumber(ARGV[1])
local first = string.sub(stored, 1, known)
if redis.sha1hex(first) ~= ARGV[2] then
  known, first = 0, ''
elseif ARGV[3] ~= '' then
  first = ARGV[3]
end
-- The identity changes when the server restarts and when a replica takes over. Writes from
-- before may then be missing. The uptime is the minimum time since that happened.
local info = redis.call('INFO', 'server') .. redis.call('INFO', 'replication')
local id, uptime = string.match(info, 'run_id:(%w+)'), string.match(info, 'uptime_in_seconds:(%d+)')
local promoted = string.match(info, 'second_repl_offset:(%-?%d+)')
if promoted and promoted ~= '-1' then
  uptime = 0
end
local time = redis.call('TIME')
local facts = string.format('\n%s %s %s %s ', time[1], time[2], id or '-', uptime or 0)
local rest = string.sub(stored, known + 1) .. facts .. ARGV[4]
redis.call('SET', KEYS[1], first .. rest, 'PX', ARGV[5])
return { known, rest }
