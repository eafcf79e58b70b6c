-- SPDX-License-Identifier: MPL-2.0
--
-- The rules. load.lua has loaded the ledger before they run.

-- Windows and their slots

local function used(w)
  return #w.done + w.in_flight
end

local function free(w)
  return w.limit - used(w)
end

local function ceil(n, by)
  return math.ceil(n / by)
end

local function free_at(w, n)
  local again, most = 0, math.max(w.limit, used(w))
  if n > most then
    local rounds = ceil(n - most, w.limit)
    n, again = n - rounds * w.limit, rounds * w.per
  end
  if n <= #w.done then
    return w.done[n] + w.per + 1 + again
  end
  return now + w.per + 1 + again
end

local function take(w, id, by, deadline)
  w.open[id] = { by, deadline }
  w.in_flight = w.in_flight + 1
end

local function cancel(w, id)
  if w.open[id] then
    w.open[id] = nil
    w.in_flight = w.in_flight - 1
  end
end

local function answer(w, id, by, at)
  cancel(w, id)
  local i = #w.done
  while i > 0 and w.done[i] > at do
    i = i - 1
  end
  table.insert(w.done, i + 1, at)
  table.insert(w.runs, i + 1, by)
end

local function expire(w)
  for id, o in pairs(w.open) do
    if o[2] < now then
      answer(w, id, o[1], o[2])
    end
  end
  local n = 0
  while n < #w.done and w.done[n + 1] + w.per < now do
    n = n + 1
  end
  if n > 0 then
    local size = #w.done
    for i = 1, size do
      w.done[i], w.runs[i] = w.done[i + n], w.runs[i + n]
    end
  end
end

-- Counted when first required, and not stored.
local held_by, most_of, capacity_of = {}, {}, {}
local function recount()
  held_by, most_of, capacity_of = {}, {}, {}
end

local function held(w, by)
  local counts = held_by[w]
  if not counts then
    counts = {}
    for _, r in ipairs(w.runs) do
      counts[r] = (counts[r] or 0) + 1
    end
    for _, o in pairs(w.open) do
      counts[o[1]] = (counts[o[1]] or 0) + 1
    end
    held_by[w] = counts
  end
  return counts[by] or 0
end

local function window(a)
  local w = ledger.windows[a.id]
  if not w then
    w = { per = a.per, open = {}, in_flight = 0, done = {}, runs = {} }
    if now <= ledger.lost + w.per then
      for i = 1, a.limit do
        w.done[i], w.runs[i] = ledger.lost, ''
      end
    end
    ledger.windows[a.id] = w
  end
  w.limit, w.reserve = a.limit, a.reserve
  return w
end

-- Waiting queues

local function asks_for(q, id)
  for _, other in ipairs(q.windows) do
    if other == id then
      return true
    end
  end
  return false
end

local keeps = {}
local function kept(w, by)
  if not keeps[w] or held(w, by) < w.reserve then
    return 0
  end
  return w.reserve
end

local function capacity(q)
  local counted = capacity_of[q]
  if counted then
    return counted[1], counted[2]
  end
  local room, limit = math.huge, math.huge
  for _, id in ipairs(q.windows) do
    local w = ledger.windows[id]
    if w then
      room, limit = math.min(room, free(w) - kept(w, q.run)), math.min(limit, w.limit)
    end
  end
  capacity_of[q] = { room, limit }
  return room, limit
end

local function most_held(by)
  local most = most_of[by]
  if most then
    return most
  end
  most = 0
  for _, a in ipairs(asked) do
    most = math.max(most, held(window(a), by))
  end
  most_of[by] = most
  return most
end

local function ahead(id)
  local mine, before, at_once, later, expiry = most_held(run), 1, 0, 0, math.huge
  for _, q in ipairs(ledger.queues) do
    if q.id == queue then
      before = 0
    else
      local n = math.min(mine - most_held(q.run) + before, q.waiting)
      if n > 0 and asks_for(q, id) then
        local room, limit = capacity(q)
        if room > 0 and q.asks_at <= now then
          at_once = at_once + math.min(n, room)
          expiry = math.min(expiry, q.expires + 1)
        end
        later = later + math.min(n, limit)
      end
    end
  end
  return at_once, later, expiry
end

local function others()
  for _, q in ipairs(ledger.queues) do
    if q.run ~= run then
      return true
    end
  end
  for _, w in pairs(ledger.windows) do
    for _, o in pairs(w.open) do
      if o[1] ~= run then
        return true
      end
    end
  end
  return false
end

local function keep()
  if others() then
    ledger.shared = now + shared_for
  end
  for _, a in ipairs(asked) do
    local w = window(a)
    if w.reserve > 0 then
      local all = waiting
      for _, q in ipairs(ledger.queues) do
        if q.id ~= queue and asks_for(q, a.id) then
          all = all + q.waiting
        end
      end
      local demand = used(w) + all
      keeps[w] = now < ledger.shared
        or all > 2 * w.reserve and ceil(demand, w.limit) == ceil(demand, w.limit - w.reserve)
    end
  end
end

local function shortest()
  local per = math.huge
  for _, a in ipairs(asked) do
    per = math.min(per, a.per)
  end
  return #asked > 0 and per or first_pause
end

local function queue_index(id)
  for i, q in ipairs(ledger.queues) do
    if q.id == id then
      return i
    end
  end
end

local function enqueue(n, asks_at)
  local i = queue_index(queue)
  if not i then
    i = #ledger.queues + 1
    ledger.queues[i] = { id = queue, run = run, windows = {} }
    for j, a in ipairs(asked) do
      ledger.queues[i].windows[j] = a.id
    end
  end
  local q = ledger.queues[i]
  q.waiting, q.asks_at, q.expires = n, asks_at, asks_at + shortest()
end

-- The hold after a 429: nil if there is none

local function held_until()
  local hold = ledger.hold
  if hold and hold.ends > now then
    return hold.ends
  end
  if hold and hold.probe and hold.probe_by >= now then
    return now + shortest()
  end
  return now
end

local function observe()
  local hold, pause = ledger.hold, math.min(retry_after, longest_hold)
  local probe = hold and hold.probe == slot
  if outcome == 'refused' and (probe or not hold) then
    hold = hold or { pause = 0 }
    hold.probe = nil
    if pause > 0 then
      hold.ends = now + pause
    else
      hold.pause = math.min(math.max(2 * hold.pause, first_pause), last_pause)
      hold.ends = now + hold.pause
    end
    ledger.hold = hold
  elseif outcome == 'refused' then
    if pause > 0 then
      hold.ends = math.max(hold.ends, now + pause)
    end
  elseif probe and outcome == 'answered' then
    ledger.hold = nil
  elseif probe then
    hold.probe = nil
  end
end

-- The ledger

local function advance()
  for _, w in pairs(ledger.windows) do
    expire(w)
  end
  for i = #ledger.queues, 1, -1 do
    if ledger.queues[i].expires < now then
      table.remove(ledger.queues, i)
    end
  end
end

local function free_for(w, id)
  local room = free(w) - kept(w, run)
  local at_once, later, expiry = ahead(id)
  if at_once < room then
    return now
  end
  local at = free_at(w, later + 1 - room)
  if room > 0 and at - expiry > long_wait * shortest() then
    return expiry
  end
  if room <= 0 then
    local earliest = free_at(w, 1 - room)
    if at - earliest > long_wait * shortest() then
      return math.max(earliest, now + math.floor((at - now) / 2))
    end
  end
  return at
end

local function look()
  local ends = held_until()
  if ends > now then
    return ends - now, 0, 1
  end
  local at, binding = now, 1
  for i, a in ipairs(asked) do
    local t = free_for(window(a), a.id)
    if t > at then
      at, binding = t, i
    end
  end
  return at - now, binding - 1, 0
end

local function served()
  local i = queue_index(queue)
  if i then
    table.remove(ledger.queues, i)
  end
  if waiting == 1 then
    return 0, 0, 0
  end
  enqueue(waiting - 1, now)
  recount() -- one more slot is held
  local wait, binding, is_held = look()
  enqueue(waiting - 1, now + wait)
  return wait, binding, is_held
end

local function renew()
  local granted = false
  for _, a in ipairs(asked) do
    local open = window(a).open[slot]
    if open then
      open[2], granted = now + max_in_flight, true
    end
  end
  return granted
end

local function acquire()
  if renew() then
    return 1, 0, 0, 0
  end
  keep()
  local wait, binding, is_held = look()
  if wait > 0 then
    enqueue(waiting, now + wait)
    return 0, wait, binding, is_held
  end
  local deadline = now + max_in_flight
  for _, a in ipairs(asked) do
    take(window(a), slot, run, deadline)
  end
  if ledger.hold then
    ledger.hold.probe, ledger.hold.probe_by = slot, deadline
  end
  return 1, served()
end

local function release()
  for _, a in ipairs(asked) do
    if outcome == 'unsent' then
      cancel(window(a), slot)
    else
      answer(window(a), slot, run, now)
    end
  end
  observe()
end

local function drop_unused()
  for id, w in pairs(ledger.windows) do
    local wanted = used(w) > 0
    for _, q in ipairs(ledger.queues) do
      wanted = wanted or asks_for(q, id)
    end
    if not wanted then
      ledger.windows[id] = nil
    end
  end
end

if operation == 'open' then
  redis.call('GET', KEYS[1])
  return { '', '0', 0, 0, '0', 0, 0 }
end
local lost = load() and 1 or 0
advance()
local granted, wait, binding, is_held = 0, 0, 0, 0
if operation == 'acquire' then
  granted, wait, binding, is_held = acquire()
elseif operation == 'release' then
  release()
end
drop_unused()
redis.call('SET', KEYS[1], cjson.encode(ledger), 'PX', string.format('%.0f', month / 1000))
return { ledger.id, string.format('%.0f', now), lost, granted, string.format('%.0f', wait), binding, is_held }
