"""Runs in action.yml once the arena and its sandbox are set up: checks bots, plays a gauntlet of those that
passed against the sample bots, and writes a summary and pages. The exit status is 0 if all is well, 1 if a
bot has something to fix or forfeited a match, and 2 if there is no bot or the check or gauntlet failed. A bot
that cannot be checked or cannot enter is left out, and does not prevent others from playing.

The bots come from strangers. So GitHub's runner is told not to obey commands in their output, and their words
appear as plain text in the summary.
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
"""Never a lower level, even if this one is not available."""
SUMMARY_BYTES: Final = 1_000_000
"""GitHub accepts 1 MiB."""
SHOWN: Final = 400
"""Characters shown of a bot's text."""
SAMPLE: Final = "sample-"
"""The prefix of the sample bots' names."""


class Failed(Exception):
    """Something prevented the checks or the gauntlet. The message says what."""


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
    """The files and folders that match the patterns of the input, relative to the workspace. They begin with
    `./`, so that no file name is taken for an option."""
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
    """The results of `arena check`, with a page for each author in `pages`. `why`: the reason if one was not
    checked."""
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
    """The names of the bots that play, by path. Sets `why` of a bot that passed and still cannot play."""
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
    """Play a gauntlet of the bots in `entering`, names by path, and move its report and replays into `pages`.
    Returns the standings."""
    run = Path(os.environ["RUNNER_TEMP"]) / "arena-run"
    shutil.rmtree(run, ignore_errors=True)
    samples = [bot for bot in arena("bots") if bot["path"]]
    standings = arena(
        *("tournament", *entering, *(f"{SAMPLE}{bot['bot']}={bot['path']}" for bot in samples)),
        *("--format", "gauntlet", *(f"--challenger={name}" for name in entering.values())),
        *("--rounds", os.environ["ARENA_ROUNDS"], *terms(), "--out", str(run), "--report"),
        complete=True,
    )
    # The last two only exist if there are thousands of matches.
    for page in ("report.html", "replays", "replay.html", "report"):
        if (run / page).exists():
            shutil.move(run / page, pages / page)
    return standings


def terms() -> tuple[str, ...]:
    return ("--game", os.environ["ARENA_GAME"], "--time", os.environ["ARENA_TIME"], *SANDBOX)


def arena(*words: str, complete: bool = False) -> Any:
    """The JSON of an `arena` command; its messages go to the log. Raises Failed if there is none or it is an
    error; with `complete`, also if the command did not finish."""
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
    """The state of a bot before the gauntlet, in a word or two."""
    if bot["why"] is not None:
        return "left out"
    return "passed" if bot["passed"] else "to mend"


def unhappy(standings: Mapping[str, Any], challengers: set[str]) -> Iterator[tuple[str, str]]:
    """The challengers that were left out or forfeited matches, each with the reason."""
    for bot in standings["left_out"]:
        if bot["name"] in challengers:
            yield bot["name"], f"left out, {bot['reason']}"
    for bot in standings["entrants"]:
        if bot["name"] in challengers and bot["forfeits"]:
            yield bot["name"], f"forfeited matches ({counts(bot)})"


def counts(bot: Mapping[str, Any]) -> str:
    """The number of matches that a bot forfeited by each kind of fault, as text."""
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
    """Text that Markdown shows unchanged. Special characters are written by number, so that they are not
    markup, and all is code, so that GitHub makes no link and no mention of it."""
    shown = text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
    signs = (sign if sign.isalnum() or sign == " " else f"&#{ord(sign)};" for sign in shown)
    return f"<code>{''.join(signs)}</code>" if shown else ""


def fitting(lines: Sequence[str]) -> str:
    """The lines as one text, cut off at SUMMARY_BYTES."""
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
    # The runner obeys lines such as `::add-mask::` from any source until it is told to stop. It reads two
    # streams in any order, so join them, or it might obey too early or too late.
    os.dup2(1, 2)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    token = secrets.token_hex(16)
    print(f"::stop-commands::{token}")
    exit_status = main()
    print(f"::{token}::")
    sys.exit(exit_status)
