require 'json'

$stdout.sync = true

def say(message)
  puts JSON.generate(message)
end

def choose(request)
  request['legal'][0]
end

while (line = $stdin.gets)
  message = JSON.parse(line)
  case message['type']
  when 'hello'
    say({ type: 'ready', name: 'mybot' })
  when 'request'
    action = choose(message)
    say({ type: 'reply', id: message['id'], action: action })
  end
end
