"""What action.yml does once there is a place to play: checks bots, has those that passed play a gauntlet
against the sample bots, and writes a summary and pages. The exit status is 0 if all is well, 1 if a bot has
something to mend or forfeited a match, 2 if there is no bot or something else kept them from being tried. A
bot that cannot be checked or cannot enter is left out, and keeps no other from playing.

The bots are strangers'. GitHub's runner is told to take no commands out of what they print, and in the
summary their words are plain text.
"""

import glob
import json
import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

ARENA: Final = Path(__file__).parent.parent / ".venv" / "bin" / "arena"
SANDBOX: Final = ("--sandbox", "bwrap")
"""Never a lower level, even where this one does not hold."""
SUMMARY_BYTES: Final = 1_000_000
"""GitHub takes 1 MiB."""
SHOWN: Final = 400
"""Characters of a text of a bot."""
SAMPLE: Final = "sample-"
"""What the names of the sample bots begin with."""


class Failed(Exception):
    """Something kept the bots from being tried; the message says what."""


def main() -> int:
    os.chdir(os.environ["GITHUB_WORKSPACE"])
    pages = Path(os.environ["RUNNER_TEMP"]) / "arena-pages"
    shutil.rmtree(pages, ignore_errors=True)
    pages.mkdir()
    summary, status = ["## Card arena", ""], 2
    try:
        checked = check(found(os.environ["ARENA_BOTS"].splitlines()), pages)
        entering = entered(checked)
        summary += check_table(checked)
        status = 0 if len(entering) == len(checked) else 1
        if entering:
            standings = play(entering, pages)
            summary += standings_table(standings, set(entering.values()))
            for name, why in unhappy(standings, set(entering.values())):
                print(f"{name}: {why}")
                summary += ["", f"{plain(name)}: {plain(why)}"]
                status = 1
    except Failed as failure:
        print(f"action: {failure}", file=sys.stderr)
        summary += ["", f"**Not tried:** {plain(str(failure))}"]
        status = 2
    append("GITHUB_STEP_SUMMARY", fitting(summary))
    append("GITHUB_OUTPUT", f"pages={pages}\n")
    return status


def found(patterns: Sequence[str]) -> list[str]:
    """The files and folders that the lines of the input stand for, from the workspace. They begin with `./`,
    so that no file's name is taken for an option."""
    bots: dict[str, None] = {}
    for pattern in filter(None, map(str.strip, patterns)):
        matching = sorted(glob.glob(pattern))
        if not matching:
            raise Failed(f"no file of the repository is called {pattern}")
        bots |= dict.fromkeys(os.path.join(".", path) for path in matching)
    if not bots:
        raise Failed("the input `bots` is empty: name files or folders, one in a line, such as entries/*")
    return list(bots)


def check(bots: Sequence[str], pages: Path) -> list[dict[str, Any]]:
    """What `arena check` found, and a page for each author in `pages`. `why` says why one was not checked."""
    named = [bot for bot in bots if bot.isprintable()]
    checked: list[dict[str, Any]] = arena("check", *named, *terms(), "--html", str(pages / "checks"))
    for word in bots:
        if word not in named:
            why = "its name has signs that cannot be printed"
            checked.append({"bot": ascii(word), "passed": False, "why": why, "pace": None, "steps": []})
    for bot in checked:
        print(f"{bot['bot']}: {outcome(bot)}", *filter(None, [bot["why"]]), sep=", ")
        for step in failures(bot):
            evidence = (f"    {key}: {step[key]}" for key in ("fault", "mend", "came", "stderr") if step[key])
            print(f"  {step['step']}: {step['promise']}", *evidence, sep="\n")
    return checked


def entered(checked: Sequence[dict[str, Any]]) -> dict[str, str]:
    """The bots that play, by their paths; `why` of one that passed and yet does not says why."""
    entering: dict[str, str] = {}
    for bot in filter(lambda bot: bot["passed"], checked):
        name = bot["bot"]
        if name.startswith(SAMPLE):
            bot["why"] = f"the names of the sample bots begin with {SAMPLE}; give it another name"
        elif name in entering.values():
            bot["why"] = "another entry has this name; give it another one"
        else:
            entering[bot["word"]] = name
            continue
        print(f"{name}: left out, {bot['why']}")
    return entering


def play(entering: Mapping[str, str], pages: Path) -> Any:
    """The standings of a gauntlet of the bots, by their paths, and its report and replays in `pages`."""
    run = Path(os.environ["RUNNER_TEMP"]) / "arena-run"
    shutil.rmtree(run, ignore_errors=True)
    samples = [bot for bot in arena("bots") if bot["path"]]
    standings = arena(
        *("tournament", *entering, *(f"{SAMPLE}{bot['bot']}={bot['path']}" for bot in samples)),
        *("--format", "gauntlet", *(f"--challenger={name}" for name in entering.values())),
        *("--rounds", os.environ["ARENA_ROUNDS"], *terms(), "--out", str(run), "--report"),
        complete=True,
    )
    # The last two are there where the matches are thousands.
    for page in ("report.html", "replays", "replay.html", "report"):
        if (run / page).exists():
            shutil.move(run / page, pages / page)
    return standings


def terms() -> tuple[str, ...]:
    return ("--game", os.environ["ARENA_GAME"], "--time", os.environ["ARENA_TIME"], *SANDBOX)


def arena(*words: str, complete: bool = False) -> Any:
    """The data of an `arena` command; what it says goes to the log. Raises Failed if there are none; and with
    `complete` also where it has not done everything."""
    done = subprocess.run([ARENA, *words, "--json"], stdout=subprocess.PIPE, text=True, check=False)
    data = json.loads(done.stdout) if done.stdout else {"error": "it failed: see the log of this step"}
    if "error" in data:
        raise Failed(f"arena {words[0]}: {data['error']}")
    if complete and done.returncode != 0:
        raise Failed(f"arena {words[0]}: it was not done to its end: see the log of this step")
    return data


def failures(bot: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [step for step in bot["steps"] if step["verdict"] == "failed"]


def outcome(bot: Mapping[str, Any]) -> str:
    """What became of a bot before the gauntlet, in a word or two."""
    if bot["why"] is not None:
        return "left out"
    return "passed" if bot["passed"] else "to mend"


def unhappy(standings: Mapping[str, Any], challengers: set[str]) -> Iterator[tuple[str, str]]:
    """The challengers that were left out or forfeited matches, each with why."""
    for bot in standings["left_out"]:
        if bot["name"] in challengers:
            yield bot["name"], f"left out, {bot['reason']}"
    for bot in standings["entrants"]:
        if bot["name"] in challengers and bot["forfeits"]:
            yield bot["name"], f"forfeited matches ({counts(bot)})"


def counts(bot: Mapping[str, Any]) -> str:
    """How many matches a bot forfeited, by kind of fault."""
    return ", ".join(f"{count} {kind}" for kind, count in bot["forfeits"].items())


def check_table(checked: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield from ("### Checks", "", "| bot | result | first thing to mend | slowest answer, ms |")
    yield "|---|---|---|---:|"
    for bot in checked:
        first = next(iter(failures(bot)), None)
        mend = f"{plain(first['step'])}: {plain(first['mend'])}" if first else plain(bot["why"] or "")
        slowest = f"{bot['pace']['slowest']:.0f}" if bot["pace"] else "–"
        result = outcome(bot) if outcome(bot) == "passed" else f"**{outcome(bot)}**"
        yield f"| {plain(bot['bot'])} | {result} | {mend} | {slowest} |"


def standings_table(standings: Mapping[str, Any], challengers: set[str]) -> Iterator[str]:
    yield from ("", f"### Gauntlet: {plain(standings['game'])}, {standings['matches']} matches", "")
    yield "| rank | bot | gain/deal | 95 % interval | matches | forfeits |"
    yield "|---:|---|---:|---|---:|---|"
    for bot in standings["entrants"]:
        name = f"**{plain(bot['name'])}**" if bot["name"] in challengers else plain(bot["name"])
        interval = "–" if bot["low"] is None else f"{bot['low']:+.2f} … {bot['high']:+.2f}"
        gain = "–" if bot["gain"] is None else f"{bot['gain']:+.3f}"
        yield f"| {bot['rank'] or '–'} | {name} | {gain} | {interval} | {bot['matches']} | {counts(bot)} |"


def plain(text: str) -> str:
    """Text that Markdown shows as it is. Every sign is written by its number, so that it is no markup, and as
    code, so that GitHub makes no link and no mention of it."""
    shown = text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
    signs = (sign if sign.isalnum() or sign == " " else f"&#{ord(sign)};" for sign in shown)
    return f"<code>{''.join(signs)}</code>" if shown else ""


def fitting(lines: Sequence[str]) -> str:
    """The lines as one text, without those for which there is no room."""
    text = ""
    for line in lines:
        if len((text + line).encode()) > SUMMARY_BYTES:
            return f"{text}\nThe rest is in the pages.\n"
        text += f"{line}\n"
    return text


def append(variable: str, text: str) -> None:
    with open(os.environ[variable], "a", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    # The runner obeys lines such as `::add-mask::` wherever they come from, until it is told to stop. Both
    # streams become one, since it reads two in any order, and so might obey before or after its time.
    os.dup2(1, 2)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    token = secrets.token_hex(16)
    print(f"::stop-commands::{token}")
    exit_status = main()
    print(f"::{token}::")
    sys.exit(exit_status)
