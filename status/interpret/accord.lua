-- The module "accord": functions for scripts about statuses. They accept any JSON value in any place, so that an
-- unexpected shape reads as absent and raises no error.
local accord = {}

local none = {}
local type, ipairs, pairs, floor = type, ipairs, pairs, math.floor -- a local is found faster than a global

-- get returns the value at a path of up to six names; nil if there is none.
local function get(v, a, b, c, d, e, f)
  if a == nil then return v end
  if type(v) ~= "table" then return nil end
  v = v[a]
  if b == nil then return v end
  return get(v, b, c, d, e, f)
end
accord.get = get

-- text returns the string at a path; "" if there is none.
local function text(v, a, b, c, d, e)
  if b ~= nil then
    v = get(v, a, b, c, d, e)
  elseif type(v) == "table" then
    v = v[a]
  end
  if type(v) == "string" then return v end
  return ""
end
accord.text = text

-- number returns the whole number at a path; nil if there is none.
local function number(v, a, b, c, d, e)
  if b ~= nil then
    v = get(v, a, b, c, d, e)
  elseif type(v) == "table" then
    v = v[a]
  end
  if type(v) == "number" then return floor(v) end
end
accord.number = number

-- count is number, but 0 if there is none, as the API omits zeros.
local function count(v, a, b, c, d, e)
  return number(v, a, b, c, d, e) or 0
end
accord.count = count

-- object returns the table at a path; an empty one if there is none.
function accord.object(v, a, b, c, d, e)
  local o = get(v, a, b, c, d, e)
  if type(o) == "table" then return o end
  return none
end
local object = accord.object

-- first returns the first of its texts that is not empty.
function accord.first(a, b, c)
  if a ~= "" then return a end
  if b ~= "" then return b end
  return c
end

-- condition returns the condition of a type; nil if the status has none.
function accord.condition(status, kind)
  for _, c in ipairs(object(status, "conditions")) do
    if text(c, "type") == kind then return c end
  end
end

-- isTrue reports whether a condition is True.
function accord.isTrue(status, kind)
  return text(accord.condition(status, kind), "status") == "True"
end

-- why returns the message of a condition, or its reason if it has no message.
function accord.why(c)
  return accord.first(text(c, "message"), text(c, "reason"), "")
end

-- references returns the objects that the pods of templates refer to, as GetDependencies does.
function accord.references(obj, templates)
  local kube, refs = require("kube"), {}
  for _, template in pairs(templates) do
    if type(template) == "table" then
      for _, ref in ipairs(kube.getPodDependencies(template, text(obj, "metadata", "namespace"))) do table.insert(refs, ref) end
    end
  end
  return refs
end

-- templates returns the field template of each entry of a table.
function accord.templates(entries)
  local list = {}
  for _, entry in pairs(entries) do table.insert(list, object(entry, "template")) end
  return list
end

-- Reflecting: the part of a status that is kept for every object and cluster.

-- groups returns the keys of a table, sorted: at most eight, so that a status stays small.
function accord.groups(o)
  local keys = {}
  for k in pairs(o) do
    if type(k) == "string" then keys[#keys + 1] = k end
  end
  table.sort(keys)
  for i = #keys, 9, -1 do keys[i] = nil end
  return keys
end

-- pick returns the fields of a status that are numbers other than 0, texts or booleans, and its conditions of the given
-- types without messages, which name objects of one cluster; nil without a status.
function accord.pick(status, fields, conditions)
  if type(status) ~= "table" then return nil end
  local kept = {}
  for _, f in ipairs(fields) do
    local v = status[f]
    if type(v) ~= "table" and v ~= 0 and v ~= "" then kept[f] = v end
  end
  for _, kind in ipairs(conditions or none) do
    local c = accord.condition(status, kind)
    if c then
      kept.conditions = kept.conditions or {}
      table.insert(kept.conditions, accord.pick(c, { "type", "status", "reason", "lastTransitionTime" }))
    end
  end
  return kept
end

-- pickIn adds to kept what pick returns of a field of the status, unless that is empty.
function accord.pickIn(kept, status, field, fields)
  local small = accord.pick(get(status, field), fields)
  if kept and small and next(small) then kept[field] = small end
end

-- Aggregating: items has an entry per cluster, {clusterName, current, status}.

-- sum adds up fields into a table, a new one unless it is given.
function accord.sum(items, fields, into)
  into = into or {}
  for _, f in ipairs(fields) do
    local n = 0
    for _, item in ipairs(items) do n = n + count(item.status, f) end
    into[f] = n
  end
  return into
end

-- total adds up the numbers at a path.
function accord.total(items, a, b, c, d)
  local n = 0
  for _, item in ipairs(items) do n = n + count(item.status, a, b, c, d) end
  return n
end

-- current returns the clusters that run the wanted object: an older one counts its old pods as updated.
function accord.current(items)
  local list = {}
  for _, item in ipairs(items) do
    if item.current then list[#list + 1] = item end
  end
  return list
end

-- agree sets each field to the text that all clusters have, or "".
function accord.agree(items, fields, into)
  for _, f in ipairs(fields) do
    local agreed = text((items[1] or none).status, f)
    for _, item in ipairs(items) do
      if text(item.status, f) ~= agreed then agreed = "" end
    end
    into[f] = agreed
  end
end

-- latest returns the last of the times at a path; nil if no cluster has one.
function accord.latest(items, a, b, c)
  local last = ""
  for _, item in ipairs(items) do
    local t = text(item.status, a, b, c)
    if t > last then last = t end
  end
  if last ~= "" then return last end
end

-- started and ended return the first and the last of the times of a field, once every cluster has one.
function accord.started(items, field)
  local found
  for _, item in ipairs(items) do
    local t = text(item.status, field)
    if t == "" then return nil end
    if not found or t < found then found = t end
  end
  return found
end

function accord.ended(items, field)
  return accord.started(items, field) and accord.latest(items, field)
end

-- highest returns the largest number at a path, and 0 if no cluster has one.
function accord.highest(items, a, b, c)
  local most = 0
  for _, item in ipairs(items) do most = math.max(most, count(item.status, a, b, c)) end
  return most
end

-- worst returns the first word of an order that some cluster has at a path. A cluster without a word of the order has
-- absent; so has no cluster at all.
function accord.worst(items, order, absent, a, b, c, d)
  local seen = {}
  for _, item in ipairs(items) do seen[text(item.status, a, b, c, d)] = true end
  local known = {}
  for _, word in ipairs(order) do known[word] = true end
  for word in pairs(seen) do
    if not known[word] then seen[absent] = true end
  end
  for _, word in ipairs(order) do
    if seen[word] then return word end
  end
  return absent
end

-- which returns the names of the clusters whose item passes a test.
function accord.which(items, passes)
  local clusters = {}
  for _, item in ipairs(items) do
    if passes(item) then clusters[#clusters + 1] = item.clusterName end
  end
  return clusters
end

-- having returns the names of the clusters with a word at a path.
function accord.having(items, word, a, b, c)
  return accord.which(items, function(item) return text(item.status, a, b, c) == word end)
end

-- names lists clusters: "a, b and 7 more".
function accord.names(clusters)
  table.sort(clusters)
  if #clusters > 5 then
    return table.concat(clusters, ", ", 1, 5) .. " and " .. #clusters - 5 .. " more"
  end
  return table.concat(clusters, ", ")
end

-- keys returns the keys of the tables at a path, as groups does.
function accord.keys(items, a, b, c)
  local all = {}
  for _, item in ipairs(items) do
    for k in pairs(object(item.status, a, b, c)) do all[k] = true end
  end
  return accord.groups(all)
end

-- verdict returns a condition of all clusters. Its time is the last transition of the clusters' conditions of a type.
function accord.verdict(kind, status, reason, message, items, from)
  local last = ""
  for _, item in ipairs(items) do
    local t = text(accord.condition(item.status, from), "lastTransitionTime")
    if t > last then last = t end
  end
  local c = { type = kind, status = status, reason = reason, message = message }
  if last ~= "" then c.lastTransitionTime = last end
  return c
end

-- outcome returns the condition of a job that has ended: Failed as soon as one cluster failed, and done when all are;
-- nil before.
function accord.outcome(items, done)
  local failed = accord.which(items, function(item) return accord.isTrue(item.status, "Failed") end)
  local ready = accord.which(items, function(item) return accord.isTrue(item.status, done) end)
  if #failed > 0 then
    return accord.verdict("Failed", "True", "JobFailed", "failed in " .. accord.names(failed), items, "Failed")
  elseif #items > 0 and #ready == #items then
    return accord.verdict(done, "True", "Completed", string.format("complete in %d of %d clusters", #ready, #items), items, done)
  end
end

-- mostCommon returns the reason that most clusters give, the first by name of several; Progressing if none does.
function accord.mostCommon(reasons)
  table.sort(reasons)
  local best, times, given = "Progressing", 0, {}
  for _, r in ipairs(reasons) do
    if r ~= "" then
      given[r] = (given[r] or 0) + 1
      if given[r] > times then best, times = r, given[r] end
    end
  end
  return best
end

local opposite = { True = "False", False = "True" }

-- merge adds one condition of each type to a list: the worst status wins, and the message names its clusters. well is the
-- good status: "True" of Ready, "False" of Stalled. A cluster that runs another version is Unknown, and so is one without
-- the condition, unless absent is good. A type that no cluster reports is omitted.
function accord.merge(items, well, kinds, list)
  list = list or {}
  for _, kind in ipairs(kinds) do
    local clusters = { True = {}, False = {}, Unknown = {} }
    local reasons = { True = {}, False = {}, Unknown = {} }
    local reported = false
    for _, item in ipairs(items) do
      local c = accord.condition(item.status, kind)
      reported = reported or c ~= nil
      local status, reason = "Unknown", ""
      if item.current and c then
        status, reason = text(c, "status"), text(c, "reason")
        if not opposite[status] then status = "Unknown" end
      elseif item.current and well == "False" then
        status = well
      end
      table.insert(clusters[status], item.clusterName)
      table.insert(reasons[status], reason)
    end
    if reported then
      local result, message = well, string.format("%s in %d of %d clusters", well, #clusters[well], #items)
      for _, status in ipairs({ "Unknown", opposite[well] }) do
        if #clusters[status] > 0 then
          result, message = status, message .. "; " .. status .. " in " .. accord.names(clusters[status])
        end
      end
      table.insert(list, accord.verdict(kind, result, accord.mostCommon(reasons[result]), message, items, kind))
    end
  end
  return list
end

return accord
