-- mybot: a bot for the card arena. It always plays its lowest legal card.
--
-- No JSON library: a line of the referee is compact, its fields are in the order of SPEC.md, and an action is
-- letters and digits. So a field is found by patterns. Runs with Lua 5.1 and later.

-- ---- your idea ------------------------------------------------------------------------------------

-- The number of a card: 7 for G7. Words such as "chip" come last.
local function value(action)
  return tonumber(action:match("^%u(%d+)$")) or math.huge
end

-- Return one of `legal`. SPEC.md describes `view` (as JSON), game by game.
local function choose(decision, legal, view)
  local lowest = legal[1]
  for _, action in ipairs(legal) do
    if value(action) < value(lowest) then
      lowest = action
    end
  end
  return lowest
end

-- ---- reading JSON: texts(view, "hand") is { "G2", "B7" } --------------------------------------------

-- The list of strings in a field; empty if there is none.
local function texts(json, field)
  local found = {}
  local list = json:match('"' .. field .. '":%[(.-)%]') or ""
  for text in list:gmatch('"(.-)"') do
    found[#found + 1] = text
  end
  return found
end

-- ---- the wire: a line in, a line out ----------------------------------------------------------------

io.stdout:setvbuf("line") -- flush every line; to debug, use io.stderr:write
for line in io.lines() do
  local type = line:match('"type":"(%a+)"')
  if type == "hello" then
    print('{"type":"ready","name":"mybot","language":"Lua"}')
  elseif type == "request" then
    local id, decision = line:match('"id":(%d+),"decision":"(%w+)"')
    local action = choose(decision, texts(line, "legal"), line:match('"view":(.*)'))
    print(('{"type":"reply","id":%s,"action":"%s"}'):format(id, action))
  end
end
