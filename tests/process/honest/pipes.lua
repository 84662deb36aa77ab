-- Plays legal[0] by Lua's coroutines and the programs that it starts.
local function run(command)
  local pipe = assert(io.popen(command))
  local out = pipe:read("a")
  assert(pipe:close())
  return out
end

assert(run("printf 'b\\na\\n' | sort") == "a\nb\n")
assert(os.execute("sleep 0.01 & wait"))
local name = os.tmpname()
local engine = assert(io.popen("cat >" .. name, "w"))
local choose = coroutine.wrap(function(line)
  while true do
    line = coroutine.yield(line:match('"legal":%["(%w+)"'))
  end
end)

for line in io.lines() do
  local kind = line:match('"type":"(%w+)"')
  if kind == "hello" then
    print('{"type":"ready","name":"pipes"}')
  elseif kind == "request" then
    local action = choose(line)
    engine:write(action, "\n")
    engine:flush()
    print(('{"type":"reply","id":%s,"action":"%s"}'):format(line:match('"id":(%d+)'), action))
  end
  io.flush()
end
