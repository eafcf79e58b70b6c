-- SPDX-License-Identifier: MPL-2.0
--
-- The script implements ledger.go, waiting.go and hold.go for a ledger in Redis, without
-- the reserve. Each function has the name of the Go function that it follows. The Go
-- functions have the comments. A test runs both on the same histories
-- (differential_unix_test.go). This file reads the arguments and the ledger, and
-- ledger.lua contains the rules.
--
--   KEYS: the ledger
--   ARGV: operation (acquire, release, check), known id, known present, known cut, elapsed, measured,
--         wall clock, max in flight, slot, run, queue, waiting, outcome, retry after, windows.
--         A window is four arguments: id, limit, per, whether it belongs to one run.
--   reply: id, present and cut of the ledger, whether it was rebuilt, whether the slot
--         was granted, the wait, the index of the window that binds, held
--         after check: the version of the server, and for each command of the script
--         that failed on a key beside the ledger, its name and the error
--
-- Times are microseconds on the server's clock since the ledger was created: JSON keeps
-- 14 digits here, which is enough for three years of use without a pause of a day.

local minute, day = 60000000, 86400000000
local first_pause, last_pause, longest_hold = 1000000, 60000000, 180000000
local tolerance = 200000 -- how long a message usually takes at most

local operation, known_id, known_present, known_cut = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local elapsed, measured, wall, max_in_flight = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local slot, run, queue, waiting = ARGV[9], ARGV[10], ARGV[11], tonumber(ARGV[12])
local outcome, retry_after = ARGV[13], tonumber(ARGV[14])
local asked = {}
for i = 15, #ARGV, 4 do
  table.insert(asked, { id = ARGV[i], limit = tonumber(ARGV[i + 1]), per = tonumber(ARGV[i + 2]), own = ARGV[i + 3] == '1' })
end

local ledger, now

-- The server's identity changes when the server restarts and when a replica takes over.
-- Writes from before may then be missing. The second value is the minimum time since
-- that happened.
local function identity()
  local info = redis.call('INFO', 'server') .. redis.call('INFO', 'replication')
  local id, uptime = string.match(info, 'run_id:(%w+)'), string.match(info, 'uptime_in_seconds:(%d+)')
  local promoted = string.match(info, 'second_repl_offset:(%-?%d+)')
  if promoted and promoted ~= '-1' then
    uptime = 0
  end
  return id, tonumber(uptime) * 1000000
end

-- A ledger is intact if it is the one that the caller has seen, and not older.
-- Otherwise it must have been rebuilt since, as if every window were full.
local function intact(l, server, present)
  if not l or l.server ~= server then
    return false
  end
  if known_id == '' then
    return true
  end
  if l.id == known_id then
    return l.now >= known_present
  end
  return l.lost >= max_in_flight and present <= elapsed
end

local function decode(stored)
  local ok, l = pcall(cjson.decode, stored)
  if ok and type(l) == 'table' and type(l.windows) == 'table' and tonumber(l.born) and l.wall then
    return l
  end
end

local function load()
  local time = redis.call('TIME')
  local clock = time[1] * 1000000 + time[2]
  local stored = redis.call('GET', KEYS[1])
  local server, since = identity()
  ledger = stored and decode(stored)
  local present = ledger and clock - ledger.born + ledger.ahead
  if intact(ledger, server, present) then
    -- If the clock was set forward, no more time has passed than the caller measured since it
    -- got known_present. A slow message looks the same, and costs its time.
    -- A new run compares its wall clock with that of the last caller. What others have cut off
    -- in the meantime stays cut off, because slots were recorded since.
    local last, passed, cut = ledger.now, math.max(wall - ledger.wall, 0), ledger.cut or 0
    local since = 0
    if ledger.id == known_id then
      last, passed, since = known_present, measured, cut - known_cut
    end
    now = present - last > passed + tolerance and last + passed - since or present
    now = math.max(now, ledger.now)  -- the clock was set back: as if no time had passed
    ledger.cut = cut + math.max(present - now, 0)
    ledger.ahead = ledger.ahead + now - present
    ledger.now, ledger.wall = now, wall
    return false
  end
  now = 0
  ledger = {
    id = string.format('%.0f', clock) .. '-' .. slot, server = server, born = string.format('%.0f', clock),
    now = 0, ahead = 0, cut = 0, wall = wall, lost = max_in_flight, holds = {}, windows = {}, queues = {},
  }
  if not stored and known_id == '' then
    ledger.lost = max_in_flight - since -- earlier requests no longer count
  end
  return ledger.lost + minute > 0
end
