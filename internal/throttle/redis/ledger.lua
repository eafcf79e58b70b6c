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

local function free_at(w, n)
  local all = math.max(w.limit, used(w))
  local rounds, done = 1 + math.floor((n - 1) / all), w.done[(n - 1) % all + 1]
  return (done and done[1] or now) + rounds * w.per + 1
end

local function cancel(w, id)
  if w.open[id] then
    w.open[id] = nil
    w.in_flight = w.in_flight - 1
  end
end

local function insert(w, at, by, id)
  local i = #w.done
  while i > 0 and w.done[i][1] > at do
    i = i - 1
  end
  table.insert(w.done, i + 1, { at, by, id })
end

local function answer(w, id, by)
  for i = #w.done, 1, -1 do
    if w.done[i][3] == id then
      return
    end
  end
  cancel(w, id)
  insert(w, now, by, id)
end

local function expire(w)
  for id, o in pairs(w.open) do
    if o[2] < now then
      cancel(w, id)
      insert(w, o[2], o[1], '')
    end
  end
  local n, size = 0, #w.done
  while n < size and w.done[n + 1][1] + w.per < now do
    n = n + 1
  end
  if n > 0 then
    for i = 1, size do
      w.done[i] = w.done[i + n]
    end
  end
end

local held_by = {} -- by window and run. Counted when first required, and not stored
local function held(w, by)
  if not held_by[w] then
    local counts = {}
    for _, d in ipairs(w.done) do
      counts[d[2]] = (counts[d[2]] or 0) + 1
    end
    for _, o in pairs(w.open) do
      counts[o[1]] = (counts[o[1]] or 0) + 1
    end
    held_by[w] = counts
  end
  return held_by[w][by] or 0
end

local function window(a)
  local w = ledger.windows[a.id]
  if not w then
    w = { per = a.per, open = {}, in_flight = 0, done = {} }
    if now <= ledger.lost + w.per then
      for i = 1, a.limit do
        w.done[i] = { ledger.lost, '', '' }
      end
    end
    ledger.windows[a.id] = w
  end
  w.limit = a.limit
  return w
end

-- Waiting queues

local function most_held(by)
  local most = 0
  for _, a in ipairs(asked) do
    most = math.max(most, held(window(a), by))
  end
  return most
end

local function ahead(id)
  local mine, before, at_once, later, expiry = most_held(run), 1, 0, 0, math.huge
  for _, q in ipairs(ledger.queues) do
    if q.id == queue then
      before = 0
    elseif q.windows[id] then
      local n = math.min(mine - most_held(q.run) + before, q.waiting)
      if n > 0 then
        later = later + n
        if q.asks_at <= now then
          at_once, expiry = at_once + n, math.min(expiry, q.expires + 1)
        end
      end
    end
  end
  return at_once, later, expiry
end

local function shortest()
  local per = math.huge
  for _, a in ipairs(asked) do
    per = math.min(per, a.per)
  end
  return #asked > 0 and per or first_pause
end

local function place()
  for i, q in ipairs(ledger.queues) do
    if q.id == queue then
      return i
    end
  end
  return #ledger.queues + 1
end

local function enqueue(wait)
  local q = { id = queue, run = run, waiting = waiting, asks_at = now + wait, expires = now + wait + shortest(), windows = {} }
  for _, a in ipairs(asked) do
    q.waiting, q.windows[a.id] = math.min(q.waiting, a.limit), true
  end
  ledger.queues[place()] = q
end

-- The holds after a 429

local function common()
  local ids = {}
  for _, a in ipairs(asked) do
    if not a.own then
      table.insert(ids, a.id)
    end
  end
  table.sort(ids)
  return table.concat(ids, ' ')
end

local function holds_of()
  local ids, holds = common(), {}
  for windows, h in pairs(ledger.holds) do
    local covered = true
    for id in string.gmatch(windows, '%x+') do
      covered = covered and string.find(' ' .. ids .. ' ', ' ' .. id .. ' ', 1, true)
    end
    if covered then
      table.insert(holds, h)
    end
  end
  return holds
end

local function held_until()
  local ends = now
  for _, h in ipairs(holds_of()) do
    if h.ends > now then
      ends = math.max(ends, h.ends)
    elseif h.probe ~= '' and h.probe_by >= now then
      ends = math.max(ends, now + shortest())
    end
  end
  return ends
end

local function refuse(pause)
  local ids = common()
  local began = not ledger.holds[ids]
  local hold = ledger.holds[ids] or { ends = now, pause = 0, probe = '', probe_by = 0 }
  ledger.holds[ids] = hold
  if pause > 0 then
    hold.ends = math.max(hold.ends, now + pause)
  elseif began or hold.probe == slot then
    hold.pause = math.min(math.max(2 * hold.pause, first_pause), last_pause)
    hold.ends = now + hold.pause
  end
end

local function observe()
  if outcome == 'refused' then
    refuse(math.min(retry_after, longest_hold))
  end
  for windows, h in pairs(ledger.holds) do
    if h.probe == slot and outcome == 'answered' then
      ledger.holds[windows] = nil
    elseif h.probe == slot then
      h.probe = ''
    end
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
  local room = free(w)
  local at_once, later, expiry = ahead(id)
  if at_once < room then
    return now
  end
  local at = free_at(w, later + 1 - room)
  if room > 0 then
    return math.min(at, expiry)
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

local function charge()
  local deadline = now + max_in_flight
  for _, a in ipairs(asked) do
    local w = window(a)
    w.open[slot] = { run, deadline }
    w.in_flight = w.in_flight + 1
  end
  for _, h in ipairs(holds_of()) do
    h.probe, h.probe_by = slot, deadline
  end
end

local function acquire()
  if renew() then
    return 1, 0, 0, 0
  end
  local wait, binding, is_held = look()
  if wait > 0 then
    enqueue(wait)
    return 0, wait, binding, is_held
  end
  charge()
  table.remove(ledger.queues, place())
  waiting = waiting - 1
  if waiting > 0 then
    held_by = {} -- one more slot is held
    enqueue(0)
    wait, binding, is_held = look()
    enqueue(wait)
  end
  return 1, wait, binding, is_held
end

local function release()
  for _, a in ipairs(asked) do
    if outcome == 'unsent' then
      cancel(window(a), slot)
    else
      answer(window(a), slot, run)
    end
  end
  observe()
end

local function drop_unused()
  for id, w in pairs(ledger.windows) do
    if used(w) == 0 then
      ledger.windows[id] = nil
    end
  end
end

-- The rights

local function check()
  local failed = {}
  local function try(...)
    local reply = redis.pcall(...)
    if type(reply) == 'table' and reply.err then
      table.insert(failed, string.lower((...)))
      table.insert(failed, reply.err)
    end
    return reply
  end
  local info = try('INFO', 'server')
  try('TIME')
  try('GET', KEYS[1])
  try('SET', KEYS[1], '1', 'PX', '1')
  return { type(info) == 'string' and string.match(info, 'redis_version:([%w.]+)') or '', unpack(failed) }
end

if operation == 'check' then
  return check()
end
local lost = load() and 1 or 0
advance()
local granted, wait, binding, is_held = 0, 0, 0, 0
if operation == 'acquire' then
  granted, wait, binding, is_held = acquire()
else
  release()
end
drop_unused()
redis.call('SET', KEYS[1], cjson.encode(ledger), 'PX', string.format('%.0f', day / 1000))
return { ledger.id, string.format('%.0f', now), string.format('%.0f', ledger.cut), lost, granted, string.format('%.0f', wait), binding, is_held }
