// How a name is parted where its middle may be cut.

const assert = require("node:assert/strict");
const { readFileSync } = require("node:fs");
const path = require("node:path");
const { test } = require("node:test");
const vm = require("node:vm");

const context = vm.createContext({});
vm.runInContext(readFileSync(path.join(__dirname, "../../arena/report/static/elements.js"), "utf8"), context);
// What comes from another context is no array of ours.
const parted = (name) => [...context.parted(name)];

test("of a long name the end stays, in whole words where it can", () => {
  for (const [name, end] of [
    ["house/greedy@1", "greedy@1"],
    ["ada/mybot@3", "mybot@3"],
    ["unbroken-", "oken-"],
    ["a-bot-of-many-names-12", "names-12"],
    ["W".repeat(32), "W".repeat(8)],
    ["die-unglaublich-lange-b…g-a-1234", "g-a-1234"],
    ["my bot, and its number is 7", "is 7"],
    ["الروبوت الطويل جدا", "الطويل جدا"],
  ]) {
    assert.deepEqual(parted(name), [name.slice(0, -end.length), end]);
  }
});

test("a short name is one part, and a letter keeps its marks", () => {
  for (const name of ["", "bot-1", "bot-1234"]) assert.deepEqual(parted(name), [name]);
  assert.deepEqual(parted(`${"x".repeat(12)}e\u0323\u03011234567`), ["x".repeat(12), "e\u0323\u03011234567"]);
  assert.deepEqual(parted("𝔘".repeat(20)), ["𝔘".repeat(12), "𝔘".repeat(8)]);
});
