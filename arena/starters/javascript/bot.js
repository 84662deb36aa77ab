// mybot: a bot for the card arena. It always plays its lowest legal card.

"use strict";

// ---- your idea -------------------------------------------------------------------------------------

// Return one of `legal`. SPEC.md describes `view`, game by game.
function choose(decision, legal, view) {
  return legal.reduce((lowest, action) => (value(action) < value(lowest) ? action : lowest));
}

// The number of a card: 7 for G7. Words such as "chip" come last.
function value(action) {
  return /\d$/.test(action) ? Number(action.slice(1)) : 99;
}

// ---- the wire: a line in, a line out -----------------------------------------------------------------

// To debug, use console.error: standard output belongs to the referee.
const say = (message) => process.stdout.write(JSON.stringify(message) + "\n");

require("readline")
  .createInterface({ input: process.stdin })
  .on("line", (line) => {
    const message = JSON.parse(line);
    if (message.type === "hello") {
      say({ type: "ready", name: "mybot", language: "JavaScript" });
    } else if (message.type === "request") {
      const action = choose(message.decision, message.legal, message.view);
      say({ type: "reply", id: message.id, action });
    }
  });
