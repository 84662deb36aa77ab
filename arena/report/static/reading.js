// Loads files beside the page, each once. If that fails, it says what to do.

/** @type {Map<string, Promise<any>>} */
const beingRead = new Map();

/**
 * What a file of JSON holds. Fails with an Error that names the file.
 * @param {string} path
 * @returns {Promise<any>}
 */
function read(path) {
  // A browser would refuse, and log an error.
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

/** What to do if the browser does not allow a page to load files. */
function howToServe() {
  const page = location.pathname.split("/").at(-1) + location.search + location.hash;
  return element("p", { class: "unread" }, [
    "A page opened from the disk may not load the files next to it. In its folder, run ",
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
  return element("p", { class: "unread", role: "status" }, [`This could not be loaded (${reason}). There may be a newer page: reload it.`]);
}
