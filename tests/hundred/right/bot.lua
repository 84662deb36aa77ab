local function say(text)
    io.write(text, "\n")
    io.flush()
end

local function choose(line)
    return line:match('"legal":%["(%w+)"')
end

for line in io.lines() do
    if line:find('"type":"hello"', 1, true) then
        say('{"type":"ready","name":"mybot"}')
    elseif line:find('"type":"request"', 1, true) then
        local id = tonumber(line:match('"id":(%d+)'))
        local action = choose(line)
        say('{"type":"reply","id":' .. id .. ',"action":"' .. action .. '"}')
    end
end
