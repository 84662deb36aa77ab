const readline = require("readline");

function say(message) {
  process.stdout.write(JSON.stringify(message) + "\n");
}

function choose(request) {
  return request.legal[0];
}

function hear(line) {
  const message = JSON.parse(line);
  if (message.type === "hello") {
    say({ type: "ready", name: "mybot" });
  } else if (message.type === "request") {
    const action = choose(message);
    say({ type: "reply", id: message.id, action: action });
  }
}

readline.createInterface({ input: process.stdin }).on("line", hear);
