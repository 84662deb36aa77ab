// mybot: a bot for the card arena. It always plays its lowest legal card.

import { createInterface } from "node:readline";
import process from "node:process";

// The part of a view that all games share; SPEC.md says what each game adds.
interface View {
  deal_no: number;
  deals: number;
  seats: number;
  seat: number;
  leader: number;
  hand: string[];
  points: number[];
}

type Message =
  | { type: "hello"; game: string; seats: number; seat: number; seed: number }
  | { type: "request"; id: number; decision: string; legal: string[]; view: View; ms: number }
  | { type: "end"; placings: number[] };

// ---- your idea -------------------------------------------------------------------------------------

/** Return one of `legal`. */
function choose(decision: string, legal: string[], view: View): string {
  return legal.reduce((lowest, action) => (value(action) < value(lowest) ? action : lowest));
}

/** The number of a card: 7 for G7. Words such as "chip" come last. */
function value(action: string): number {
  return /\d$/.test(action) ? Number(action.slice(1)) : 99;
}

// ---- the wire: a line in, a line out -----------------------------------------------------------------

// To debug, write to process.stderr: standard output belongs to the referee.
const say = (message: object) => process.stdout.write(JSON.stringify(message) + "\n");

createInterface({ input: process.stdin }).on("line", (line: string) => {
  const message = JSON.parse(line) as Message;
  switch (message.type) {
    case "hello":
      say({ type: "ready", name: "mybot", language: "TypeScript" });
      break;
    case "request":
      say({ type: "reply", id: message.id, action: choose(message.decision, message.legal, message.view) });
      break;
  }
});
