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
  local again, most = 0, math.max(w.limit, used(w))
  if n > most then
    local rounds = math.ceil((n - most) / w.limit)
    n, again = n - rounds * w.limit, rounds * w.per
  end
  if n <= #w.done then
    return w.done[n][1] + w.per + 1 + again
  end
  return now + w.per + 1 + again
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

local held_by, most_of = {}, {} -- counted when first required, and not stored
local function held(w, by)
  local counts = held_by[w]
  if not counts then
    counts = {}
    for _, d in ipairs(w.done) do
      counts[d[2]] = (counts[d[2]] or 0) + 1
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

local function asks_for(q, id)
  for _, other in ipairs(q.windows) do
    if other == id then
      return true
    end
  end
  return false
end

local function capacity(q)
  local room, limit = math.huge, math.huge
  for _, id in ipairs(q.windows) do
    local w = ledger.windows[id]
    if w then
      room, limit = math.min(room, free(w)), math.min(limit, w.limit)
    end
  end
  return room, limit
end

local function most_held(by)
  if not most_of[by] then
    most_of[by] = 0
    for _, a in ipairs(asked) do
      most_of[by] = math.max(most_of[by], held(window(a), by))
    end
  end
  return most_of[by]
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

-- The holds after a 429

local function common()
  local ids = {}
  for _, a in ipairs(asked) do
    if not a.own then
      table.insert(ids, a.id)
    end
  end
  table.sort(ids)
  return ids
end

local function holds_of()
  local ids, holds = {}, {}
  for _, id in ipairs(common()) do
    ids[id] = true
  end
  for _, h in ipairs(ledger.holds) do
    local covered = true
    for _, id in ipairs(h.windows) do
      covered = covered and ids[id]
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
  local ids, hold = common(), nil
  for _, h in ipairs(ledger.holds) do
    if table.concat(h.windows, ' ') == table.concat(ids, ' ') then
      hold = h
    end
  end
  local began = not hold
  if began then
    hold = { windows = ids, ends = now, pause = 0, probe = '', probe_by = 0 }
    table.insert(ledger.holds, hold)
  end
  if pause > 0 then
    hold.ends = math.max(hold.ends, now + pause)
  elseif began or hold.probe == slot then
    hold.pause = math.min(math.max(2 * hold.pause, first_pause), last_pause)
    hold.ends = now + hold.pause
  end
end

local function observe()
  for i = #ledger.holds, 1, -1 do
    if ledger.holds[i].probe == slot and outcome == 'answered' then
      table.remove(ledger.holds, i)
    end
  end
  if outcome == 'refused' then
    refuse(math.min(retry_after, longest_hold))
  end
  for _, h in ipairs(ledger.holds) do
    if h.probe == slot then
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

local function served()
  local i = queue_index(queue)
  if i then
    table.remove(ledger.queues, i)
  end
  if waiting == 1 then
    return 0, 0, 0
  end
  enqueue(waiting - 1, now)
  held_by, most_of = {}, {} -- one more slot is held
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
    enqueue(waiting, now + wait)
    return 0, wait, binding, is_held
  end
  charge()
  return 1, served()
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
    local wanted = used(w) > 0
    for _, q in ipairs(ledger.queues) do
      wanted = wanted or asks_for(q, id)
    end
    if not wanted then
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
return { ledger.id, string.format('%.0f', now), lost, granted, string.format('%.0f', wait), binding, is_held }
