// Times in the reader's zone, with UTC beside.

const assert = require("node:assert/strict");
const { readFileSync } = require("node:fs");
const path = require("node:path");
const { test } = require("node:test");
const vm = require("node:vm");

const context = vm.createContext({});
vm.runInContext(readFileSync(path.join(__dirname, "../../arena/report/static/times.js"), "utf8"), context);

for (const [zone, shown] of [
  ["UTC", "2026-11-28 00:07 UTC"],
  ["Asia/Kathmandu", "2026-11-28 05:52 (00:07 UTC)"],
  ["America/New_York", "2026-11-27 19:07 (2026-11-28 00:07 UTC)"],
]) {
  test(`in ${zone}`, () => {
    process.env.TZ = zone;
    assert.equal(context.moment(Date.UTC(2026, 10, 28, 0, 7) / 1000), shown);
  });
}
