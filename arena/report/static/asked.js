// Loads the match that the address of the page names, replay.html?replays/r01-p001-s01.html, sets the heading of the
// page, and leaves the data for viewer.js, which follows. The script is a module, so it can wait here.

/** @param {Replay & {following: string}} replay */
function headPage({ match, game, names, following }) {
  const [heading, eyebrow] = ["h1", ".eyebrow"].map((one) => /** @type {HTMLElement} */ (document.querySelector(one)));
  document.title = `${names.join(", ")} · ${game}`;
  eyebrow.textContent = `${game} · ${match}`;
  heading.className = names.length > 4 ? "many" : "";
  heading.replaceChildren(...names.flatMap((name, at) => {
    const versus = at < names.length - 1 ? [element("span", { class: "versus" }, ["·"])] : [];
    return [element("span", { class: "of-title" }, [name, ...versus]), " "];
  }));
  document.querySelectorAll(".next, .onward a").forEach((link) => {
    if (following) link.setAttribute("href", `?replays/${following}.html`);
    else link.remove();
  });
}

try {
  const match = /^\?replays\/(r\d+-p\d+-s\d+)\.html$/.exec(location.search);
  if (!match) throw new Error("the address does not name a match");
  const replay = await read(`replays/${match[1]}.json`);
  headPage(replay);
  byId("data").textContent = JSON.stringify(replay);
} catch (error) {
  document.querySelectorAll(".next, .kind").forEach((one) => one.remove());
  document.querySelector("main")?.replaceWith(unread(error));
  // Without a match there is nothing to show, so the rest of the script never runs.
  await new Promise(() => {});
}
