// The pure part of a bot's page: which bot an address asks for, and figures as people read them.

const assert = require("node:assert/strict");
const { readFileSync } = require("node:fs");
const path = require("node:path");
const { test } = require("node:test");
const vm = require("node:vm");

const context = vm.createContext({});
for (const name of ["numbers.js", "bots.js"]) {
  vm.runInContext(readFileSync(path.join(__dirname, "../../arena/report/static", name), "utf8"), context);
}
const { askedBot, consequence, gainText, matchText, minus, numberOf, ordinal, sentence, signed } = context;

test("an address asks for a bot, or for none", () => {
  assert.equal(askedBot("#bot=ada"), "ada");
  assert.equal(askedBot("#bot=ada%20(rounds%201%E2%80%933)"), "ada (rounds 1–3)");
  assert.equal(askedBot("#bot=%E0%A4%A"), "%E0%A4%A");
  assert.equal(askedBot("#bot="), "");
  for (const hash of ["", "#", "#bot", "#standings"]) assert.equal(askedBot(hash), null);
});

test("figures are written as in the report's tables", () => {
  assert.deepEqual([1.005, -2, 0, -0.004, null, 0.125, -4.625, 0.375, 0.875].map(gainText), ["+1.00", "−2.00", "+0.00", "+0.00", "–", "+0.12", "−4.62", "+0.38", "+0.88"]);
  assert.deepEqual([3, 0, -15].map(minus), ["3", "0", "−15"]);
  const penalties = [1, -1, 0, 21].map((points) => numberOf(points, "penalty points"));
  assert.deepEqual(penalties, ["1 penalty point", "−1 penalty point", "0 penalty points", "21 penalty points"]);
  assert.equal(minus("deal 1: house-1 -12 (total -3), Zoë-2 +5"), "deal 1: house-1 −12 (total −3), Zoë-2 +5");
  assert.deepEqual([3, 0, -15].map(signed), ["+3", "0", "−15"]);
  assert.deepEqual([1, 2, 3, 4, 11, 12, 13, 21, 111].map(ordinal), ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "111th"]);
  assert.equal(matchText("r01-p002-s13"), "Round 1, pod 2, match 13");
  assert.deepEqual(["it died", "Is it?", ""].map(sentence), ["It died.", "Is it?", "."]);
});

test("a fault's consequence is told", () => {
  assert.equal(consequence({ times: 1, forfeits: 1 }), "Forfeited the match.");
  assert.equal(consequence({ times: 2, forfeits: 2 }), "Forfeited the match each time.");
  assert.equal(consequence({ times: 5, forfeits: 2 }), "Forfeited 2 times, forgiven 3 times.");
  assert.equal(consequence({ times: 2, forfeits: 0 }), "Forgiven: a substitute chose in its place.");
});
