"""The table of what may be wrong with a bot, and the advice for its author. The first cure that fits is the
diagnosis, so special cases come before general ones, and the last cure for each kind of fault always fits.

To add a cure, give it

    name       for machines, in --json: two or three words with hyphens, unique for each kind of fault
    kinds      the kinds of fault that it may explain, as SPEC.md names them
    fits       whether it applies: a test of a field of symptoms.py, or a function of predicates.py; called
               only if no cure above it applies
    advice     for people: what the bot did, and what to do instead; a format string, `s` is the symptoms
    blameless  whether the machine is to blame and not the bot

Put it above the first cure that also fits, and add a program with that mistake to
tests/checking/test_check.py. Knows symptoms, but neither processes nor how advice is shown.
"""

from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Final, NamedTuple

from arena.checking import predicates
from arena.checking.symptoms import Symptoms, parsed
from arena.playing.exit_cause import PIPES_HELD
from arena.process.obstacle import ObstacleKind
from protocol.faults import SILENT
from protocol.faults import FaultKind as F
from protocol.inbox import FLOOD_LIMIT


class Cure(NamedTuple):
    """One mistake and its correction; the module docstring explains the fields."""

    name: str
    kinds: Collection[F]
    fits: Callable[[Symptoms], bool]
    advice: str
    blameless: bool = False


LINES: Final = (F.HANDSHAKE, F.MALFORMED)
"""Faults of a line that was received."""
MOSTLY: Final = 0.5
"""The share of the time above which advice says that a bot computed."""

UNIX_LINES: Final = (
    "save it with Unix line endings (LF), which any code editor can do; on Unix, run sed -i 's/\\r$//' "
    "FILE; in git, a line `*.sh text eol=lf` in .gitattributes keeps them"
)

WRITE_ELSEWHERE: Final = (
    "Write to /tmp, which is private there, empty when a match begins, and deleted when the match ends; put "
    "into the program itself what it has to know from one match to the next; or play on if a file cannot be "
    "written"
)

NO_ZEROS: Final = (
    "send only the string, without the trailing NUL and without the rest of the buffer (C: printf or fputs, "
    "or strlen bytes)"
)

TO_START: Final[Mapping[ObstacleKind, str]] = {
    ObstacleKind.BUILD: "fix what its build reports, until the `build` command of its bot.toml succeeds in "
    "a copy of its folder; in a sandbox, a build has no network access",
    ObstacleKind.CARRIAGE_RETURN: "{s.detail}: " + UNIX_LINES,
    ObstacleKind.NO_FIRST_LINE: "{s.detail}, or chmod -x it",
    ObstacleKind.NO_EXECUTABLE_BIT: "{s.detail}",
    ObstacleKind.NO_INTERPRETER: "{s.detail}: install it, or name one that is installed; bots see only the "
    "PATH given in SPEC.md",
    ObstacleKind.UNREADABLE: "{s.detail}",
    ObstacleKind.MANIFEST: "{s.detail}; a bot.toml needs `command`, and may also have name, author, "
    "language, build, games",
    ObstacleKind.NOT_THERE: "{s.detail}: it must exist and be executable",
}
"""What to do about a program that cannot be started."""

CURES: Final = (
    # ── it could not be executed ────────────────────────────────────────────────────────────────────────
    *(Cure(kind, (F.SPAWN,), partial(predicates.met, kind), text) for kind, text in TO_START.items()),
    Cure("not-started", (F.SPAWN,), predicates.always, "{s.detail}"),
    # ── it ended ────────────────────────────────────────────────────────────────────────────────────────
    Cure(
        "script-with-carriage-returns",
        (F.EXITED, F.HANDSHAKE),
        lambda s: bool(s.script_with_returns and s.greeting),
        "its script {s.script_with_returns} has Windows line endings (CRLF), and a shell treats each \\r as "
        "part of the line's last word{s.error_in_brackets}: " + UNIX_LINES,
    ),
    Cure(
        "ended-for-a-child",
        (F.EXITED,),
        lambda s: s.detail == PIPES_HELD.detail,
        "it exited{s.status_in_brackets} before it had answered {s.asked}, and left its pipes to a process "
        "that it had started: do not go into the background",
    ),
    Cure(
        "program-not-found",
        (F.EXITED,),
        predicates.program_missing,
        "it stopped with “{s.last_error}”: the command that starts it names a program that is not there; "
        "correct the command (`command` in a bot.toml), or put that file into the bot's folder",
    ),
    Cure(
        "module-not-found",
        (F.EXITED,),
        predicates.module_missing,
        "it stopped with “{s.last_error}”: bots run outside any virtual environment, with only the standard "
        "library and their one file; a folder with a bot.toml may include its own modules",
    ),
    Cure(
        "file-not-found",
        (F.EXITED,),
        predicates.file_missing,
        "it stopped with “{s.last_error}”: it plays from a copy of what you entered, and a single file is "
        "copied alone; a folder with a bot.toml is copied with all its files, so put them there and look "
        "for them next to the program",
    ),
    Cure(
        "json-error",
        (F.EXITED,),
        lambda s: "JSONDecodeError" in s.last_error,
        "it stopped with “{s.last_error}” at {s.asked}: read one whole line, and parse only that",
    ),
    Cure(
        "reads-not-utf-8",
        (F.EXITED,),
        predicates.undecodable,
        "it could not decode {s.asked} (“{s.last_error}”): we send UTF-8 (in fact only ASCII), so read "
        "standard input as UTF-8",
    ),
    Cure(
        "memory",
        (F.EXITED,),
        predicates.out_of_memory,
        "at {s.asked} it tried to use more memory than a bot may have: is there something that keeps "
        "growing?",
    ),
    Cure(
        "writes-beside",
        (F.EXITED,),
        predicates.not_permitted,
        "at {s.asked_in_full} it tried to read or write something that it has no access to "
        "(“{s.last_error}”): in a sandbox (bwrap) its folder is read-only. " + WRITE_ELSEWHERE,
    ),
    Cure(
        "no-such-field",
        (F.EXITED,),
        lambda s: s.misspelt is not None,
        "it crashed at {s.asked_in_full} with “{s.last_error}”: there is no `{s.misspelt[0]}`; did you mean "
        "`{s.misspelt[1]}`?",
    ),
    Cure(
        "crashed", (F.EXITED,), predicates.exception, "it crashed at {s.asked_in_full} with “{s.last_error}”"
    ),
    Cure(
        "signal",
        (F.EXITED,),
        lambda s: s.status is not None and s.status < 0,
        "it was killed by {s.signal_name} at {s.asked_in_full}{s.error_in_brackets}",
    ),
    Cure(
        "last-words",
        (F.EXITED,),
        lambda s: bool(s.status and s.last_error),
        "it exited with status {s.status} at {s.asked_in_full}, and the last thing it wrote to standard "
        "error was “{s.last_error}”",
    ),
    Cure(
        "half-a-line",
        (F.EXITED,),
        lambda s: s.unfinished.startswith(b"{"),
        "it exited in the middle of its answer: send a whole line, then a newline, then flush",
    ),
    Cure(
        "closed-pipes",
        (F.EXITED,),
        lambda s: s.status is None,
        "it closed its standard input or output, but is still running: keep both open until the match ends",
    ),
    Cure(
        "ended-at-once",
        (F.EXITED,),
        lambda s: s.greeting,
        "it exited with status {s.status} and wrote nothing: read `hello` from standard input, and write "
        "`ready` to standard output",
    ),
    Cure(
        "one-shot",
        (F.EXITED,),
        lambda s: s.status == 0,
        "it exited by itself after answering {s.before}: one process plays a whole match, so read lines in "
        "a loop until the input ends, and do not go into the background",
    ),
    Cure(
        "exit",
        (F.EXITED,),
        predicates.always,
        "it exited with status {s.status} at {s.asked}, and did not say why: what makes the program exit?",
    ),
    # ── no answer in time ───────────────────────────────────────────────────────────────────────────────
    Cure(
        "busy-machine",
        SILENT,
        lambda s: 0 < s.took - s.queued < s.had,
        "the machine was too busy: it did answer {s.asked} without further input, but {s.lateness}, and "
        "the machine had no free core to run it on for {s.queued_for}. That is not the bot's fault: check "
        "it again when the machine is less busy",
        blameless=True,
    ),
    Cure(
        "late-start",
        (F.HANDSHAKE,),
        lambda s: s.took > 0 and s.busy > MOSTLY,
        "it starts too slowly: it did send its first line without further input, but {s.lateness}, and it "
        "was busy most of the time. Load less, or answer `hello` before you load; {s.would_do}",
    ),
    Cure(
        "late-start-waiting",
        (F.HANDSHAKE,),
        lambda s: s.took > 0,
        "it starts too slowly: it did send its first line without further input, but {s.lateness}, and it "
        "used little CPU time. Is it sleeping, or waiting for another process or a file? {s.would_do}",
    ),
    Cure(
        "late-computing",
        (F.TIMEOUT,),
        lambda s: s.took > 0 and s.busy > MOSTLY,
        "it computes for too long: it did answer {s.asked} without further input, but {s.lateness}. Search "
        "less, or stop when the `ms` of the request have passed; {s.would_do}",
    ),
    Cure(
        "late-waiting",
        (F.TIMEOUT,),
        lambda s: s.took > 0,
        "it waits too long: it did answer {s.asked} without further input, but {s.lateness}, and it used "
        "little CPU time. Is it sleeping, or waiting for another process or a file? If it waits less, or "
        "not at all, it answers in time; {s.would_do}",
    ),
    Cure(
        "stale-id",
        (F.TIMEOUT,),
        predicates.stale,
        "you answered {s.asked} with the id of an earlier request, and such a reply is ignored: send back "
        "the `id` of the request that you are answering",
    ),
    Cure(
        "no-newline",
        SILENT,
        lambda s: not s.line and isinstance(parsed(s.unfinished), dict),
        "your answer to {s.asked} came without a newline at the end: end every line with \\n, then flush",
    ),
    Cure(
        "unfinished-line",
        SILENT,
        lambda s: not s.line and bool(s.unfinished) and not s.took,
        "you wrote text to standard output with no newline and no answer: don't print a prompt, and send "
        "your own output to standard error",
    ),
    Cure(
        "no-ready",
        (F.HANDSHAKE,),
        lambda s: not s.line and predicates.only_replies(s.pressed),
        "it did not answer `hello`, but did answer the request that we sent next: the first line is a "
        '`hello`, and the answer to it is {{"type":"ready","name":"…"}}',
    ),
    Cure(
        "second-line",
        SILENT,
        lambda s: not s.line and predicates.speaks_once(s.nudged),
        "you answered {s.asked} only after one more line had arrived: each line has to be answered before "
        "the next one is sent. Do you read two lines before you answer, look ahead, or flush only before "
        "you read the next line?",
    ),
    Cure(
        "reads-blocks",
        SILENT,
        lambda s: not s.line and not s.nudged and not s.ended and predicates.speaks_shortly(s.pressed),
        "your answer to {s.asked} came only after many more lines had arrived: your program read a whole "
        "block of input before it processed the first line. Read line by line (C: fgets, not fread; mawk: "
        "-W interactive). If you already do, flush after every answer",
    ),
    Cure(
        "no-flush",
        SILENT,
        lambda s: not s.line and predicates.speaks(s.nudged + s.pressed),
        "your answer to {s.asked} was ready, but stayed in your output buffer until that was full: flush "
        "after every line (Python: print(…, flush=True); C: fflush(stdout); Java: System.out.flush())",
    ),
    Cure(
        "reads-to-the-end",
        SILENT,
        lambda s: not s.line and predicates.speaks(s.afterwards),
        "your answer to {s.asked} came only after the input had ended: read line by line (Python: for line "
        "in sys.stdin), and don't read the whole input before you answer. If you already do this, flush "
        "after every answer",
    ),
    Cure(
        "starved",
        SILENT,
        lambda s: not s.line and s.starved,
        "the machine was too busy: no answer to {s.asked} came in {s.waited_for}, and for {s.queued_for} of "
        "that time the bot was waiting for a free core. Check it again when the machine is less busy, or "
        "with more time (--startup, --time)",
        blameless=True,
    ),
    Cure(
        "busy-start",
        (F.HANDSHAKE,),
        lambda s: not s.line and s.busy > MOSTLY,
        "it ran for {s.waited_for} without answering `hello`: is there an infinite loop? If not, load less, "
        "or answer `hello` before you load",
    ),
    Cure(
        "busy",
        (F.TIMEOUT,),
        lambda s: not s.line and s.busy > MOSTLY,
        "it ran for {s.waited_for} without answering {s.asked}: is there an infinite loop? If not, check "
        "the time against `ms` while you search",
    ),
    Cure(
        "waiting",
        (F.HANDSHAKE,),
        lambda s: not s.line and s.heard,
        "it produced no output in {s.waited_for}, and was waiting for something: read one line from "
        "standard input, as UTF-8, and answer `hello` with `ready`",
    ),
    Cure(
        "not-reading",
        (F.HANDSHAKE,),
        lambda s: not s.line,
        "it produced no output in {s.waited_for}, used no CPU time, and read nothing: is it sleeping, or "
        "waiting for another process or a file, before it reads standard input? Read one line, and answer "
        "`hello` with `ready` at once",
    ),
    Cure(
        "unanswered",
        (F.TIMEOUT,),
        lambda s: s.heard,
        "it read {s.asked_in_full} and went on to the next line, but did not answer in {s.waited_for}: does "
        "it answer every request, whatever its `decision`? Does it flush every answer?",
    ),
    Cure(
        "slow",
        (F.TIMEOUT,),
        predicates.always,
        "no answer to {s.asked} came in {s.waited_for}, and it used little CPU time: is it sleeping, or "
        "waiting for another process, or for a line that never comes? `ms` in a request is all the time "
        "that it has",
    ),
    # ── an unexpected line ──────────────────────────────────────────────────────────────────────────────
    Cure(
        "utf-16",
        LINES,
        predicates.utf_16,
        "your output is UTF-16 (or UTF-32): write UTF-8 (PowerShell: [Console]::OutputEncoding = "
        '[Text.UTF8Encoding]::new($false); Java: new PrintStream(System.out, true, "UTF-8"))',
    ),
    Cure("zero-bytes", LINES, lambda s: b"\0" in s.line, f"your line contains NUL bytes: {NO_ZEROS}"),
    Cure(
        "byte-order-mark",
        LINES,
        lambda s: s.line.startswith(b"\xef\xbb\xbf"),
        "your line begins with a byte order mark, and only your very first line may have one: write UTF-8 "
        "without a mark (Python: utf-8, not utf-8-sig)",
    ),
    Cure(
        "not-utf-8",
        LINES,
        predicates.not_utf_8,
        "your output is not UTF-8: set the encoding of standard output",
    ),
    Cure(
        "echo",
        LINES,
        lambda s: s.line.strip() == s.sent.strip(),
        "you sent our own line back: answer {s.asked} with a {s.wanted}",
    ),
    Cure(
        "several-lines",
        LINES,
        predicates.begins_several_lines,
        "your JSON is spread over several lines: a message is one line, so print it without indentation",
    ),
    Cure(
        "several-on-a-line",
        LINES,
        predicates.several_on_a_line,
        "a line has more than one message on it, or something after its message: write a newline after each "
        "message",
    ),
    Cure(
        "python-repr",
        LINES,
        predicates.python_repr,
        "that is Python's repr, not JSON: print(json.dumps(message), flush=True)",
    ),
    Cure(
        "bytes-repr",
        LINES,
        predicates.bytes_repr,
        "that is Python's notation for bytes, b'…', not text: print(message.decode(), flush=True), if "
        "`message` is what json.dumps(…).encode() or orjson.dumps(…) returned",
    ),
    Cure(
        "object-object",
        LINES,
        lambda s: b"[object Object]" in s.line,
        "that is a JavaScript object converted to a string: console.log(JSON.stringify(message))",
    ),
    Cure(
        "unquoted-keys",
        LINES,
        predicates.unquoted_keys,
        "in JSON, keys and strings go in double quotes: use your language's JSON library",
    ),
    Cure(
        "action-alone",
        LINES,
        lambda s: not s.greeting and (s.message in s.legal or s.text in s.legal),
        "you sent only the action: a reply is an object with type, id and action",
    ),
    Cure(
        "index-alone",
        LINES,
        lambda s: not s.greeting and predicates.integer(s.message),
        "you sent only a number: a reply is an object with type, id and action",
    ),
    Cure(
        "encoded-twice",
        LINES,
        predicates.encoded_twice,
        "that is JSON inside a JSON string: encode the object only once",
    ),
    Cure(
        "prompt",
        LINES,
        predicates.behind_a_prompt,
        "there is something before the JSON on its line: don't print a prompt, or anything else, to "
        "standard output",
    ),
    Cure(
        "banner",
        (F.HANDSHAKE,),
        predicates.plain_text,
        "the first line has to be your `ready`, but you printed {s.quoted}: send greetings and debugging "
        "text to standard error, or leave them out",
    ),
    Cure(
        "debug-text",
        LINES,
        predicates.plain_text,
        "you printed {s.quoted} to standard output, where only replies belong: send debugging text to "
        "standard error (Python: print(…, file=sys.stderr))",
    ),
    Cure("bad-json", LINES, predicates.no_json, "that is not JSON ({s.detail}): use your language's library"),
    Cure(
        "not-an-object",
        LINES,
        lambda s: not isinstance(s.message, dict),
        "that is JSON, but not an object: an answer has a `type` and other fields",
    ),
    Cure(
        "no-type",
        LINES,
        lambda s: "type" not in s.fields,
        "your line has no `type`: it has to be the string “ready” or “reply”",
    ),
    Cure(
        "reply-to-hello",
        (F.HANDSHAKE,),
        lambda s: s.fields.get("type") == "reply",
        "you answered `hello` with a `reply`: look at `type`, and answer `hello` with `ready`",
    ),
    Cure(
        "ready-to-request",
        (F.MALFORMED,),
        lambda s: s.fields.get("type") == "ready",
        "you answered a request with `ready`: look at `type`, and answer a request with a `reply`. Or did "
        "you send `ready` twice?",
    ),
    Cure(
        "other-type",
        LINES,
        lambda s: s.fields.get("type") not in ("ready", "reply"),
        "an answer to {s.asked} has the `type` “ready” or “reply”, spelled exactly like that, and yours has "
        "a different one",
    ),
    Cure(
        "protocol",
        (F.HANDSHAKE,),
        lambda s: "protocol" in s.fields and s.fields["protocol"] != 1,
        "your `ready` names a different `protocol`: send the integer 1, or leave it out",
    ),
    Cure(
        "no-name",
        (F.HANDSHAKE,),
        lambda s: not isinstance(s.fields.get("name"), str),
        "your `ready` needs a `name`, which is a string",
    ),
    Cure(
        "no-id",
        (F.MALFORMED,),
        lambda s: "id" not in s.fields,
        "your reply has no `id`: send back the `id` of the request",
    ),
    Cure(
        "id-as-text",
        (F.MALFORMED,),
        lambda s: isinstance(s.id_sent, str),
        "your `id` is a string: send the number as it came, without quotes",
    ),
    Cure(
        "id-no-integer",
        (F.MALFORMED,),
        lambda s: not predicates.integer(s.id_sent),
        "your `id` is not an integer (7, not 7.0, true or null): send the number as it came",
    ),
    Cure(
        "wrong-id",
        (F.MALFORMED,),
        lambda s: s.id_sent != s.request_id,
        "you answered {s.asked} with id {s.id_sent}: don't keep your own count, but send back the `id` of "
        "the request",
    ),
    Cure(
        "no-action",
        (F.MALFORMED,),
        lambda s: "action" not in s.fields,
        "your reply has no `action`: it is one of the strings in `legal`",
    ),
    Cure(
        "action-as-number",
        (F.MALFORMED,),
        lambda s: predicates.integer(s.fields["action"]),
        'your `action` is a number: send the string itself, legal[i], not its index ("action":{s.example})',
    ),
    Cure(
        "action-object",
        (F.MALFORMED,),
        lambda s: isinstance(s.fields["action"], dict | list),
        "your `action` is an object or a list: a card is sent as a single string, the one for it in `legal` "
        '("action":{s.example})',
    ),
    Cure(
        "action-no-text",
        (F.MALFORMED,),
        lambda s: not isinstance(s.fields["action"], str),
        "your `action` is not a string: send one of the strings in `legal`, exactly as written there",
    ),
    Cure(
        "null",
        LINES,
        lambda s: None in s.fields.values(),
        "null is not a string: leave out a field if you have no value for it",
    ),
    Cure("other-line", LINES, predicates.always, "your line is not the expected {s.wanted}: {s.detail}"),
    # ── a reply, but not a legal one ────────────────────────────────────────────────────────────────────
    Cure(
        "other-case",
        (F.ILLEGAL,),
        predicates.other_case,
        "you sent {s.quoted}: send the string exactly as written in `legal`, including case, and nothing "
        "more",
    ),
    Cure(
        "index",
        (F.ILLEGAL,),
        predicates.index,
        "you sent {s.quoted}, which looks like an index into `legal`: send the string at that index",
    ),
    Cure(
        "other-order",
        (F.ILLEGAL,),
        predicates.other_order,
        "you sent {s.quoted}: a card is its letter followed by its value, as written in `legal`",
    ),
    Cure(
        "not-allowed",
        (F.ILLEGAL,),
        predicates.in_hand,
        "{s.quoted} is in your hand, but the rules do not allow it now: choose from `legal`, not from `hand`",
    ),
    Cure(
        "from-memory",
        (F.ILLEGAL,),
        lambda s: s.text in s.offered,
        "{s.quoted} was legal earlier but is not now: choose from `legal` in the current request, not from "
        "what you remember",
    ),
    Cure(
        "illegal",
        (F.ILLEGAL,),
        predicates.always,
        "{s.quoted} is not in `legal`: send one of the strings listed there, exactly as written",
    ),
    # ── too much ────────────────────────────────────────────────────────────────────────────────────────
    Cure(
        "long-line",
        (F.FLOOD,),
        lambda s: b"\n" not in s.said[:FLOOD_LIMIT],
        "it wrote 64 KiB without a newline: is there an infinite loop? An answer is one short line",
    ),
    Cure(
        "flood",
        (F.FLOOD,),
        predicates.always,
        "it wrote 64 KiB without answering {s.asked}: is it printing in an infinite loop?",
    ),
    Cure(
        "memory",
        (F.MEMORY,),
        predicates.always,
        "it used more memory than a bot may ({s.detail}): is there something that keeps growing? What "
        "helpers share counts for each, and sockets and open files of /proc count too: SPEC.md says how much",
    ),
    Cure(
        "excess",
        (F.EXCESS,),
        predicates.always,
        "it used CPU time between its turns ({s.detail}): let helper processes, timers and threads finish "
        "before you answer",
    ),
)

BLAMELESS: Final = frozenset(cure.name for cure in CURES if cure.blameless)

BY_KIND: Final[Mapping[F, str]] = {
    F.SPAWN: "`arena check` says why it cannot be started",
    F.HANDSHAKE: "`arena check` waits for its `ready`, and says what was wrong with it",
    F.TIMEOUT: "`arena check` measures how fast it answers; think for less time than the limit",
    F.MALFORMED: "answer with one line of JSON, and print nothing else to standard output",
    F.ILLEGAL: "choose one of the actions in `legal` of the request that you are answering",
    F.EXITED: "it crashed or exited: play it with `arena match`, which shows what it wrote",
    F.FLOOD: "is there an infinite loop that prints? Answer each request with one line",
    F.MEMORY: "is there something that keeps growing? `arena check` plays under the same limit",
    F.EXCESS: "let helper processes, timers and threads finish before you answer",
}
"""Advice for a fault of which only the kind is known."""


class Diagnosis(NamedTuple):
    """The cure for one bot. `advice` ends with where the same bot does better, if that is known."""

    name: str
    advice: str


def diagnose(symptoms: Symptoms) -> Diagnosis:
    """The first cure that fits. There always is one, since the last for every kind of fault fits."""
    cure = next(cure for cure in CURES if symptoms.kind in cure.kinds and cure.fits(symptoms))
    return Diagnosis(cure.name, cure.advice.format(s=symptoms) + symptoms.elsewhere)
