-- SPDX-License-Identifier: MPL-2.0
--
-- The rules of ledger.go, turns.go and gate.go for a ledger that lies in Redis.
-- Each function bears the name of the one it follows there; what it is for is
-- said there. The conformance tests hold the two together.
--
--   KEYS: the ledger
--   ARGV: known, "open"
--         known, "acquire", line, waiting, max in flight, windows...
--         known, "release", place, outcome, retry after, windows...
--   a window is three arguments: id, limit, per
--   reply: the ledger's present, whether it was rebuilt, and of "acquire" the
--         place (or 0), the wait, the index of the window that binds, the gate
--
-- Time is the server's alone, in microseconds. The ledger counts it from its
-- beginning, since JSON keeps 14 digits here: exact for three years of use
-- without a day's pause, and within 10 microseconds for thirty.

local day = 86400000000
local first_pause, last_pause = 1000000, 60000000

local ledger, now -- as loaded
local asked = {}  -- the windows of the question
for i = 6, #ARGV, 3 do
  table.insert(asked, { id = ARGV[i], limit = tonumber(ARGV[i + 1]), per = tonumber(ARGV[i + 2]) })
end

-- The asker knows until when it has seen the ledger, 0 if never. A ledger that is
-- missing, older than that (a snapshot, a replica that lagged) or begun since by
-- somebody who knew nothing of it has lost places: it is rebuilt as if every window
-- were full. One that was rebuilt since has taken account of the loss.
local function load(known)
  local time = redis.call('TIME')
  local clock = time[1] * 1000000 + time[2]
  local stored = redis.call('GET', KEYS[1])
  ledger = stored and cjson.decode(stored)
  if ledger then
    ledger.born = tonumber(ledger.born)
  end
  local intact = known == 0 or ledger and ledger.born + ledger.now >= known and (ledger.full or ledger.born <= known)
  if not ledger or not intact then
    local born = math.max(clock, known)
    ledger = { born = born, now = 0, ahead = 0, full = not intact, turn = 0, serial = born % 1e13, windows = {}, lines = {} }
  end
  now = clock - ledger.born + ledger.ahead
  if now < ledger.now then -- the clock was set back: as if no time had passed
    ledger.ahead = ledger.ahead + ledger.now - now
    now = ledger.now
  end
  ledger.now = now
  return not intact
end

local function save()
  local present = ledger.born + now
  ledger.born = string.format('%.0f', ledger.born)
  redis.call('SET', KEYS[1], cjson.encode(ledger), 'PX', day / 1000)
  return present
end

-- Windows and their places

local function free(w)
  local used = #w.done
  for _ in pairs(w.open) do
    used = used + 1
  end
  return w.limit - used
end

local function free_at(w, n)
  if n <= #w.done then
    return w.done[n] + w.per + 1
  end
  return now + w.per + 1
end

local function answer(w, place, at)
  w.open[place] = nil
  local i = #w.done
  while i > 0 and w.done[i] > at do
    i = i - 1
  end
  table.insert(w.done, i + 1, at)
end

local function expire(w)
  for place, deadline in pairs(w.open) do
    if deadline < now then
      answer(w, place, deadline)
    end
  end
  while #w.done > 0 and w.done[1] + w.per < now do
    table.remove(w.done, 1)
  end
end

local function window(a)
  local w = ledger.windows[a.id]
  if not w then
    w = { per = a.per, open = {}, done = {} }
    if ledger.full and now <= w.per then
      for i = 1, a.limit do
        w.done[i] = 0
      end
    end
    ledger.windows[a.id] = w
  end
  w.limit = a.limit
  return w
end

-- Lines and their turns

local function shares(line, id)
  for _, other in ipairs(line.windows) do
    if other == id then
      return true
    end
  end
  return false
end

local function capacity(line)
  local n = math.huge
  for _, id in ipairs(line.windows) do
    local w = ledger.windows[id]
    if w then
      n = math.min(n, free(w))
    end
  end
  return n
end

local function turn_of(id)
  local line = ledger.lines[id]
  return line and line.turn or ledger.turn
end

local function owed(window_id, asking)
  local turn, places, lapse = turn_of(asking), 0, math.huge
  for id, line in pairs(ledger.lines) do
    if id ~= asking and line.wakes <= now and shares(line, window_id) then
      local ahead = turn - line.turn
      if id < asking then
        ahead = ahead + 1
      end
      local n = math.min(ahead, line.waiting, capacity(line))
      if n > 0 then
        places = places + n
        lapse = math.min(lapse, line.lapses + 1)
      end
    end
  end
  return places, lapse
end

local function shortest()
  local per = math.huge
  for _, a in ipairs(asked) do
    per = math.min(per, a.per)
  end
  return #asked > 0 and per or first_pause
end

local function queue(id, waiting, wakes)
  local line = ledger.lines[id]
  if not line then
    line = { turn = ledger.turn, windows = {} }
    for i, a in ipairs(asked) do
      line.windows[i] = a.id
    end
    ledger.lines[id] = line
  end
  line.waiting, line.wakes, line.lapses = waiting, wakes, wakes + shortest()
end

local function serve(id, waiting)
  local turn = turn_of(id)
  ledger.turn = math.max(ledger.turn, turn)
  if waiting > 1 then
    queue(id, waiting - 1, now)
    ledger.lines[id].turn = turn + 1
  else
    ledger.lines[id] = nil
  end
end

-- The gate: absent while it is open

local function holds()
  local gate = ledger.gate
  if gate and gate.opens > now then
    return gate.opens
  end
  if gate and gate.probe and gate.probe_by >= now then
    return now + shortest()
  end
  return now
end

local function heard(place, outcome, retry_after)
  local gate = ledger.gate
  local probe = gate and gate.probe == place
  if outcome == 'refused' and (probe or not gate) then
    gate = gate or { pause = 0 }
    gate.probe = nil
    if retry_after > 0 then
      gate.opens = now + retry_after
    else
      gate.pause = math.min(math.max(2 * gate.pause, first_pause), last_pause)
      gate.opens = now + gate.pause
    end
    ledger.gate = gate
  elseif outcome == 'refused' then
    if retry_after > 0 then
      gate.opens = math.max(gate.opens, now + retry_after)
    end
  elseif probe and outcome == 'answered' then
    ledger.gate = nil
  elseif probe then
    gate.probe = nil
  end
end

-- The ledger

local function advance()
  for _, w in pairs(ledger.windows) do
    expire(w)
  end
  for id, line in pairs(ledger.lines) do
    if line.lapses < now then
      ledger.lines[id] = nil
    end
  end
end

local function free_for(w, window_id, asking)
  local places, lapse = owed(window_id, asking)
  local left = free(w)
  if places < left then
    return now
  end
  local at = free_at(w, places - left + 1)
  if places > 0 then
    local alone = now
    if left <= 0 then
      alone = free_at(w, 1 - left)
    end
    at = math.min(at, math.max(alone, lapse))
  end
  return at
end

local function acquire(line, waiting, max_in_flight)
  local opens = holds()
  if opens > now then
    queue(line, waiting, opens)
    return 0, opens - now, 0, 1
  end
  local at, binding = now, 1
  for i, a in ipairs(asked) do
    local t = free_for(window(a), a.id, line)
    if t > at then
      at, binding = t, i
    end
  end
  if at > now then
    queue(line, waiting, at)
    return 0, at - now, binding - 1, 0
  end
  ledger.serial = ledger.serial + 1
  local place, deadline = string.format('%.0f', ledger.serial), now + math.min(max_in_flight, day)
  for _, a in ipairs(asked) do
    window(a).open[place] = deadline
  end
  if ledger.gate then
    ledger.gate.probe, ledger.gate.probe_by = place, deadline
  end
  serve(line, waiting)
  return ledger.serial, 0, 0, 0
end

local function release(place, outcome, retry_after)
  for _, a in ipairs(asked) do
    local w = window(a)
    if outcome == 'unsent' then
      w.open[place] = nil
    else
      answer(w, place, now)
    end
  end
  heard(place, outcome, retry_after)
end

local function forget()
  for id, w in pairs(ledger.windows) do
    local wanted = free(w) < w.limit
    for _, line in pairs(ledger.lines) do
      wanted = wanted or shares(line, id)
    end
    if not wanted then
      ledger.windows[id] = nil
    end
  end
end

local rebuilt = load(tonumber(ARGV[1])) and 1 or 0
advance()
local place, wait, binding, gate = 0, 0, 0, 0
if ARGV[2] == 'acquire' then
  place, wait, binding, gate = acquire(ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]))
elseif ARGV[2] == 'release' then
  release(ARGV[3], ARGV[4], tonumber(ARGV[5]))
end
forget()
return { save(), rebuilt, place, wait, binding, gate }
