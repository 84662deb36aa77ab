# frozen_string_literal: true

# mybot: a bot for the card arena. It always plays its lowest legal card.

require "json"

# ---- your idea -------------------------------------------------------------------------------------

# Return one of `legal`. SPEC.md describes `view`, game by game.
def choose(_decision, legal, _view)
  legal.min_by { |action| value(action) }
end

# The number of a card: 7 for G7. Words such as "chip" come last.
def value(action)
  Integer(action[1..], 10, exception: false) || 99
end

# ---- the wire: a line in, a line out -----------------------------------------------------------------

# To debug, use warn: standard output belongs to the referee.
def say(**message)
  puts JSON.generate(message)
end

$stdout.sync = true
$stdin.each_line do |line|
  message = JSON.parse(line, symbolize_names: true)
  case message[:type]
  when "hello"
    say type: "ready", name: "mybot", language: "Ruby"
  when "request"
    action = choose(message[:decision], message[:legal], message[:view])
    say type: "reply", id: message[:id], action: action
  end
end
