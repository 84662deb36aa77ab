// SPEC.md's shortest bot, as a Node bot to measure.
const lines = require("readline").createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "hello") console.log(JSON.stringify({ type: "ready", name: "first" }));
  if (message.type === "request")
    console.log(JSON.stringify({ type: "reply", id: message.id, action: message.legal[0] }));
});
