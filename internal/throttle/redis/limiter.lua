-- One call of the limiter, with the rules of throttle.State. The command "acquire" takes slots. The command "release"
-- releases one slot and, after a 429, also holds the last window.
--
-- KEYS: a sorted set for each window (member: the token of a slot; score: until when it is occupied, in milliseconds),
-- then the set of the runs (score: when each run asked last), then the waiting queue that comes first.
-- ARGV: the command, now ('' = the server's clock), the time of the clock before it was set forward ('' = it was not),
-- how long a window is full after a loss, the limit, the length and the reserve of each window, and then the arguments
-- of the command.
local command, before, lost = ARGV[1], tonumber(ARGV[3]), tonumber(ARGV[4])
local windows, runs, next = #KEYS - 2, KEYS[#KEYS - 1], KEYS[#KEYS]
local rest = 4 + 3 * windows
local LIMIT, HOLD, LOSS = 0, 1, 2 -- throttle.Cause
local time = redis.call('TIME')
local now = tonumber(ARGV[2]) or time[1] * 1000 + math.floor(time[2] / 1000)
local info = redis.pcall('INFO', 'server') -- a user without this right does not notice a restart
local server = type(info) == 'string' and string.match(info, 'run_id:(%w+)')

-- Each set has a member with the run_id of this server, which never expires. If a set lacks this member, the set was
-- never used, was lost, or comes from a snapshot or from another server. If the user may not run INFO, any member that
-- never expires counts. If a set has a member that expires later than a slot can, the clock was set back. In each of
-- these cases, and if the clock was set forward, the window becomes full.
for i = 1, windows do
  local key = KEYS[i]
  redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
  local own = server and redis.call('ZSCORE', key, server) or not server and redis.call('ZCOUNT', key, 'inf', 'inf') > 0
  if not own
    -- unless another run has already reported this, after this run read the clock
    or before and tonumber(redis.call('ZSCORE', key, 'clock') or 0) <= before + lost
    or redis.call('ZCOUNT', key, now + 190000, '(inf') > 0 then
    redis.call('DEL', key)
    redis.call('ZADD', key, 'inf', server or '-', now + lost, 'full')
    if before then redis.call('ZADD', key, now + lost, 'clock') end
  end
  redis.call('PEXPIRE', key, 2592000000) -- 30 days
end

if command == 'release' then -- arguments: token, hold
  for i = 1, windows do
    redis.call('ZADD', KEYS[i], now + 1 + tonumber(ARGV[3 + 3 * i]), ARGV[rest + 1])
  end
  local hold = tonumber(ARGV[rest + 2])
  if hold > 0 then redis.call('ZADD', KEYS[windows], 'GT', now + hold, 'hold') end
  return {now}
end

-- acquire, with the arguments: the run, its age, the queue, how many slots the queue uses, how long a request may be in
-- flight, the tokens
local run, age, queue = ARGV[rest + 1], tonumber(ARGV[rest + 2]), ARGV[rest + 3]
local used, inflight, n = tonumber(ARGV[rest + 4]), tonumber(ARGV[rest + 5]), #ARGV - rest - 5
local tokens, again = rest + 5, 0 -- again: granted before, with a lost or late answer. The first set is the shortest
while again < n and redis.call('ZSCORE', KEYS[1], ARGV[tokens + again + 1]) do again = again + 1 end

redis.call('ZREMRANGEBYSCORE', runs, '-inf', now - 600000)
local shared = 0
if n > 0 then
  redis.call('ZADD', runs, now, run)
  redis.call('PEXPIRE', runs, 600000)
  shared = redis.call('ZCOUNT', runs, now - math.min(age, 600000), 'inf') - 1 -- without this run
end

local nextuntil, nextwant, nextused, nextqueue, nextwindow =
  string.match(redis.call('GET', next) or '', '(%d+) (%d+) (%d+) (%w+) (.+)')
if nextuntil and tonumber(nextuntil) <= now then nextuntil, nextqueue = nil, nil end
local missing = n - again
local granted, free, stop, left = missing, {}, {}, {}
for i = 1, windows do
  local key = KEYS[i]
  local full, hold = redis.call('ZSCORE', key, 'full'), redis.call('ZSCORE', key, 'hold')
  stop[i], left[i] = full or hold, 0
  if nextuntil and nextqueue ~= queue and tonumber(nextused) < used and nextwindow == key then
    left[i] = 2 * tonumber(nextwant)
  end
  local limit, reserve = tonumber(ARGV[2 + 3 * i]), tonumber(ARGV[4 + 3 * i])
  if shared > 0 and used >= reserve then limit = limit - reserve end
  free[i] = stop[i] and 0 or limit - (redis.call('ZCARD', key) - 1) - left[i]
  granted = math.max(math.min(granted, free[i]), 0)
  if stop[i] then stop[i] = {wait = stop[i] - now, cause = full and LOSS or HOLD} end
end

local wait, window, cause = 0, 0, LIMIT -- wait: until each window that has no free slot can have one
for i = 1, windows do
  if granted < missing and free[i] <= granted then
    local w, why = 0, LIMIT
    if stop[i] then
      w, why = stop[i].wait, stop[i].cause
    else -- until enough slots have expired. The response to a request in flight may arrive now
      local index = math.max(0 - free[i], 0) -- not -free: Redis rejects "-0"
      local slot = redis.call('ZRANGE', KEYS[i], index, index, 'WITHSCORES')
      w = math.min((tonumber(slot[2]) or math.huge) - now, tonumber(ARGV[3 + 3 * i]) + 2)
      if left[i] > 0 then w = math.min(w, nextuntil - now) end
    end
    if w > wait then wait, window, cause = w, i - 1, why end
  end
end

granted = granted + again
for j = 1, granted do
  for i = 1, windows do
    redis.call('ZADD', KEYS[i], now + inflight + tonumber(ARGV[3 + 3 * i]), ARGV[tokens + j])
  end
end

local entry
if granted < n and cause == LIMIT then
  if not nextqueue or nextqueue == queue or used < tonumber(nextused) then
    entry = string.format('%d %d %d %s %s', now + wait + 1500, n - granted, used, queue, KEYS[window + 1])
  end
elseif nextqueue == queue then -- it stays first for a while, because more may follow
  entry = string.format('%d %d %d %s %s', now + 1500, n, used, queue, nextwindow)
end
if entry then redis.call('SET', next, entry, 'PX', 180000) end
return {now, granted, wait, window, cause, shared > 0 and 1 or 0}
