// Reads files that lie beside the page; each once. Where that fails, it says what to do.

/** @type {Map<string, Promise<any>>} */
const beingRead = new Map();

/**
 * What a file of JSON holds. Fails with an Error that names the file.
 * @param {string} path
 * @returns {Promise<any>}
 */
function read(path) {
  // A browser would refuse it, and complain.
  if (location.protocol === "file:") return Promise.reject(new Error(path));
  const known = beingRead.get(path);
  if (known) return known;
  const reading = fetch(path, { cache: "no-cache" }).then((answer) => {
    if (answer.ok) return answer.json();
    throw new Error(`${path}: ${answer.status} ${answer.statusText}`);
  });
  beingRead.set(path, reading);
  // Another attempt may succeed.
  reading.catch(() => beingRead.delete(path));
  return reading;
}

/** What to do where a browser lets no page read. */
function howToServe() {
  const page = location.pathname.split("/").at(-1) + location.search + location.hash;
  return element("p", { class: "unread" }, [
    "Opened from the disk, a page may not read the files beside it. In its folder run ",
    element("code", {}, ["python3 -m http.server -b 127.0.0.1"]),
    ` and open http://127.0.0.1:8000/${page}`,
  ]);
}

/**
 * Stands where something could not be read.
 * @param {unknown} error
 */
function unread(error) {
  if (location.protocol === "file:") return howToServe();
  const reason = error instanceof Error ? error.message : String(error);
  return element("p", { class: "unread", role: "status" }, [`This could not be read (${reason}). There may be a newer page: reload it.`]);
}
