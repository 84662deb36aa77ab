// Plays legal[0] by Node's worker threads, its thread pool, and child processes, one detached.
"use strict";
const { Worker, isMainThread, parentPort, workerData } = require("node:worker_threads");
const { execFile, fork, spawn } = require("node:child_process");
const { once } = require("node:events");
const { pbkdf2, scrypt } = require("node:crypto");
const { gzip } = require("node:zlib");
const fs = require("node:fs/promises");
const net = require("node:net");
const readline = require("node:readline");
const assert = require("node:assert");
const { promisify } = require("node:util");

async function prepare(shared) {
  const slow = promisify(pbkdf2);
  const keys = await Promise.all([...Array(8).keys()].map((n) => slow(`${n}`, "salt", 500, 32, "sha256")));
  assert.equal(new Set(keys.map(String)).size, 8);
  await promisify(scrypt)("a", "salt", 32);
  assert.ok((await promisify(gzip)(Buffer.alloc(1e5))).length < 1000);
  await fs.writeFile("/tmp/book", "a");
  assert.equal(await fs.readFile("/tmp/book", "utf8"), "a");
  assert.equal((await promisify(execFile)("echo", ["7"])).stdout, "7\n");
  const detached = spawn("sleep", ["0.01"], { detached: true });
  assert.equal((await once(detached, "exit"))[0], 0);
  const server = net.createServer((socket) => socket.pipe(socket)).listen("/tmp/socket");
  await once(server, "listening");
  const client = net.connect("/tmp/socket");
  client.write("word");
  assert.equal(String((await once(client, "data"))[0]), "word");
  client.destroy();
  server.close();
  const forked = fork(__filename, ["forked"]);
  forked.send(7);
  assert.equal((await once(forked, "message"))[0], 8);
  forked.disconnect();
  const workers = [1, 2, 3].map(() => new Worker(__filename, { workerData: shared }));
  await Promise.all(workers.map((worker) => once(worker, "online")));
  return workers;
}

async function main() {
  const shared = new Int32Array(new SharedArrayBuffer(8));
  const workers = await prepare(shared);
  setInterval(() => {}, 5).unref();
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const message = JSON.parse(line);
    if (message.type === "hello") {
      console.log(JSON.stringify({ type: "ready", name: "workers" }));
    } else if (message.type === "request") {
      const answers = workers.map((worker) => once(worker, "message"));
      for (const worker of workers) worker.postMessage(message.legal);
      const actions = (await Promise.all(answers)).map(([action]) => action);
      assert.equal(new Set(actions).size, 1);
      Atomics.add(shared, 1, 1);
      Atomics.notify(shared, 1);
      console.log(JSON.stringify({ type: "reply", id: message.id, action: actions[0] }));
    }
  }
  await Promise.all(workers.map((worker) => worker.terminate()));
}

if (!isMainThread) {
  parentPort.on("message", (legal) => {
    Atomics.wait(workerData, 0, 0, 1); // a moment, as for a lock
    parentPort.postMessage(legal[0]);
  });
} else if (process.argv[2] === "forked") {
  process.on("message", (number) => process.send(number + 1));
} else {
  main();
}
