// Lines of CSV as the report saves them.

const assert = require("node:assert/strict");
const { readFileSync } = require("node:fs");
const path = require("node:path");
const { test } = require("node:test");
const vm = require("node:vm");

const SCRIPT = path.join(__dirname, "../../arena/report/static/csv.js");
const context = vm.createContext({});
vm.runInContext(readFileSync(SCRIPT, "utf8"), context);

test("numbers and plain texts stay as they are", () => {
  assert.equal(context.csvLine(["1", "careful", "-8.385417", "+10.5", ""]), "1,careful,-8.385417,+10.5,\n");
});

test("commas, quotes and breaks are quoted", () => {
  assert.equal(context.csvLine(['a,b', 'say "x"', "one\ntwo"]), '"a,b","say ""x""","one\ntwo"\n');
});

test("an interval is two numbers", () => {
  const lines = context.withEnds([["bot", "95 % interval"], ["ada", "−1.50 … +2.00"], ["bea", ""]]);
  assert.deepEqual(JSON.parse(JSON.stringify(lines)), [["bot", "95 % interval, from", "95 % interval, to"], ["ada", "-1.50", "+2.00"], ["bea", "", ""]]);
});

test("nothing that a spreadsheet would compute goes out as it is", () => {
  for (const text of ["=1+1", "+1+1", "-1|cmd", "@SUM(A1)", "\u200b=1", "＝1", "'x", "\tx"]) {
    assert.equal(context.csvLine([text]), `'${text}\n`, JSON.stringify(text));
  }
});
