# frozen_string_literal: true

# Plays legal[0] by Ruby's threads, forks and Ractors, and by commands.

require "json"
require "open3"
require "socket"
require "timeout"

$VERBOSE = nil # that Ractors are experimental
total = 0
lock = Mutex.new
Array.new(8) { Thread.new { lock.synchronize { total += 1 } } }.each(&:join)
raise "threads" unless total == 8

reading, writing = IO.pipe
pids = Array.new(3) { fork { writing.puts "a" } }
pids.each { |pid| raise "fork" unless Process.wait2(pid)[1].success? }
writing.close
raise "pipe" unless reading.read == "a\na\na\n"
raise "Ractor" unless Array.new(2) { |n| Ractor.new(n) { |m| m + 1 } }.sum(&:take) == 3
raise "Open3" unless Open3.capture2("sort", stdin_data: "b\na\n")[0] == "a\nb\n"
raise "spawn" unless Process.wait2(Process.spawn("true", pgroup: true))[1].success?

File.open("/tmp/lock", "w") { |file| raise "flock" unless file.flock(File::LOCK_EX) == 0 }
one, other = UNIXSocket.pair
one.puts "word"
raise "socket" unless other.gets == "word\n"

late = begin
  Timeout.timeout(0.01) { sleep }
rescue Timeout::Error
  true
end
raise "Timeout" unless late

session = fork { Process.setsid; exit!(0) }
Process.wait(session)

wanted = Queue.new
chosen = Queue.new
Thread.new { loop { chosen << wanted.pop.first } }
Thread.new { loop { sleep 0.005 } }
ractor = Ractor.new { loop { Ractor.yield(Ractor.receive + 1) } }

$stdout.sync = true
$stdin.each_line do |line|
  message = JSON.parse(line, symbolize_names: true)
  case message[:type]
  when "hello" then puts JSON.generate(type: "ready", name: "ractors")
  when "request"
    ractor.send(message[:id])
    raise "Ractor" unless ractor.take == message[:id] + 1

    wanted << message[:legal]
    puts JSON.generate(type: "reply", id: message[:id], action: chosen.pop)
  end
end
