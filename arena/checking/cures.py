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
tests/checking/test_check.py. Knows symptoms; neither processes nor how advice is shown.
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
    "save it with the line ends of Unix (LF), which an editor for programs offers; on Unix sed -i 's/\\r$//' "
    "FILE; in git a line `*.sh text eol=lf` in .gitattributes keeps them"
)

WRITE_ELSEWHERE: Final = (
    "Write into /tmp, which is its own there, empty when a match begins and gone when it is over; carry in "
    "the program what it has to know from one match to the next; or play on where a file cannot be written"
)

NO_ZEROS: Final = (
    "send the text alone, without the zero at its end and without the rest of its buffer (C: printf or "
    "fputs, or strlen bytes)"
)

TO_START: Final[Mapping[ObstacleKind, str]] = {
    ObstacleKind.BUILD: "correct what its build says, until the `build` of its bot.toml succeeds in a copy "
    "of its folder; behind walls a build has no network",
    ObstacleKind.CARRIAGE_RETURN: "{s.detail}: " + UNIX_LINES,
    ObstacleKind.NO_FIRST_LINE: "{s.detail}, or chmod -x it",
    ObstacleKind.NO_EXECUTABLE_BIT: "{s.detail}",
    ObstacleKind.NO_INTERPRETER: "{s.detail}: install it, or name one that is there; bots find only the PATH "
    "that SPEC.md tells",
    ObstacleKind.UNREADABLE: "{s.detail}",
    ObstacleKind.MANIFEST: "{s.detail}; a bot.toml needs `command`, and may have name, author, language, "
    "build, games",
    ObstacleKind.NOT_THERE: "{s.detail}: it has to be there and executable",
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
        "its script {s.script_with_returns} has the line ends of Windows (CRLF), and a shell takes the \\r "
        "at each for a part of its last word{s.error_in_brackets}: " + UNIX_LINES,
    ),
    Cure(
        "ended-for-a-child",
        (F.EXITED,),
        lambda s: s.detail == PIPES_HELD.detail,
        "it ended{s.status_in_brackets} before {s.asked} was answered, and left its pipes to a process it "
        "had started: do not go into the background",
    ),
    Cure(
        "module-not-found",
        (F.EXITED,),
        predicates.module_missing,
        "it stopped with “{s.last_error}”: bots run outside any virtual environment, with the standard "
        "library and the one file; a folder with a bot.toml may bring its own modules",
    ),
    Cure(
        "file-not-found",
        (F.EXITED,),
        predicates.file_missing,
        "it stopped with “{s.last_error}”: it plays from a copy of what entered, and a single file is copied "
        "alone; a folder with a bot.toml brings its files along, to be looked for beside the program",
    ),
    Cure(
        "json-error",
        (F.EXITED,),
        lambda s: "JSONDecodeError" in s.last_error,
        "it stopped with “{s.last_error}” at {s.asked}: read one line, whole, and parse that alone",
    ),
    Cure(
        "reads-not-utf-8",
        (F.EXITED,),
        predicates.undecodable,
        "it could not decode {s.asked} (“{s.last_error}”): what we send is UTF-8, and plain ASCII at that, "
        "so read standard input as that",
    ),
    Cure(
        "memory",
        (F.EXITED,),
        predicates.out_of_memory,
        "it wanted more memory than a bot may have at {s.asked}: does something grow without end?",
    ),
    Cure(
        "writes-beside",
        (F.EXITED,),
        predicates.not_permitted,
        "it wanted to read or write at {s.asked_in_full} what it may not (“{s.last_error}”): in a sandbox "
        "(bwrap) its folder is read-only. " + WRITE_ELSEWHERE,
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
        "it was ended by {s.signal_name} at {s.asked_in_full}{s.error_in_brackets}",
    ),
    Cure(
        "last-words",
        (F.EXITED,),
        lambda s: bool(s.status and s.last_error),
        "it ended with exit status {s.status} at {s.asked_in_full}, and its last words on standard error "
        "were “{s.last_error}”",
    ),
    Cure(
        "half-a-line",
        (F.EXITED,),
        lambda s: s.unfinished.startswith(b"{"),
        "it ended in the middle of its answer: send a whole line, then its newline, then flush",
    ),
    Cure(
        "closed-pipes",
        (F.EXITED,),
        lambda s: s.status is None,
        "it closed its standard input or output, but runs on: keep both open to the end",
    ),
    Cure(
        "ended-at-once",
        (F.EXITED,),
        lambda s: s.greeting,
        "it ended with exit status {s.status} and without a word: read `hello` from standard input, write "
        "`ready` to standard output",
    ),
    Cure(
        "one-shot",
        (F.EXITED,),
        lambda s: s.status == 0,
        "it ended by itself when it had answered {s.before}: one process plays a whole match, so read lines "
        "in a loop until the input ends, and do not go on in the background",
    ),
    Cure(
        "exit",
        (F.EXITED,),
        predicates.always,
        "it ended with exit status {s.status} at {s.asked}, and without a word why: what in it ends the "
        "process?",
    ),
    # ── no answer in time ───────────────────────────────────────────────────────────────────────────────
    Cure(
        "busy-machine",
        SILENT,
        lambda s: 0 < s.took - s.queued < s.had,
        "the machine was too busy: an answer to {s.asked} came by itself, but {s.lateness}, and for "
        "{s.queued_for} of it the machine had no core to run it on. That is no mistake of the bot: check it "
        "again when the machine has less to do",
        blameless=True,
    ),
    Cure(
        "late-start",
        (F.HANDSHAKE,),
        lambda s: s.took > 0 and s.busy > MOSTLY,
        "it starts too slowly: its first line came by itself, but {s.lateness}, and it computed. Load less, "
        "or answer `hello` before you load; {s.would_do}",
    ),
    Cure(
        "late-start-waiting",
        (F.HANDSHAKE,),
        lambda s: s.took > 0,
        "it starts too slowly: its first line came by itself, but {s.lateness}, and it hardly computed. Does "
        "it sleep, or wait for another process or a file? {s.would_do}",
    ),
    Cure(
        "late-computing",
        (F.TIMEOUT,),
        lambda s: s.took > 0 and s.busy > MOSTLY,
        "it computes too long: an answer to {s.asked} came by itself, but {s.lateness}. Search less, or stop "
        "when the `ms` of the request are over; {s.would_do}",
    ),
    Cure(
        "late-waiting",
        (F.TIMEOUT,),
        lambda s: s.took > 0,
        "it waits too long: an answer to {s.asked} came by itself, but {s.lateness}, and it hardly computed. "
        "Does it sleep, or wait for another process or a file? Without that, or with less of it, it is in "
        "time; {s.would_do}",
    ),
    Cure(
        "stale-id",
        (F.TIMEOUT,),
        predicates.stale,
        "you answered {s.asked} with the id of an earlier one, and such a reply is ignored: send back "
        "the `id` of the request itself",
    ),
    Cure(
        "no-newline",
        SILENT,
        lambda s: not s.line and isinstance(parsed(s.unfinished), dict),
        "your answer to {s.asked} came, but no newline behind it: end every line with \\n, then flush",
    ),
    Cure(
        "unfinished-line",
        SILENT,
        lambda s: not s.line and bool(s.unfinished) and not s.took,
        "you wrote text without a newline to standard output, and no answer: print no prompt, and send what "
        "is meant for you to standard error",
    ),
    Cure(
        "no-ready",
        (F.HANDSHAKE,),
        lambda s: not s.line and predicates.only_replies(s.pressed),
        "it said nothing to `hello`, and answered a request that we sent then: the first line is a `hello`, "
        'and the answer to it is {{"type":"ready","name":"…"}}',
    ),
    Cure(
        "second-line",
        SILENT,
        lambda s: not s.line and predicates.speaks_once(s.nudged),
        "you answered {s.asked} only when one more line had come: each line has to be answered before the "
        "next one comes. Do you read a line twice, look ahead, or flush only before you read the next?",
    ),
    Cure(
        "reads-blocks",
        SILENT,
        lambda s: not s.line and not s.nudged and not s.ended and predicates.speaks_shortly(s.pressed),
        "your answer to {s.asked} came only when many more lines had come: a whole block of input was read "
        "before the first line of it was looked at. Read line by line (C: fgets, not fread; mawk: -W "
        "interactive). If you do so already, flush after every answer",
    ),
    Cure(
        "no-flush",
        SILENT,
        lambda s: not s.line and predicates.speaks(s.nudged + s.pressed),
        "your answer to {s.asked} was there, but stayed in the buffer of your output until that was full: "
        "flush after every line (Python: print(…, flush=True); C: fflush(stdout); Java: System.out.flush())",
    ),
    Cure(
        "reads-to-the-end",
        SILENT,
        lambda s: not s.line and predicates.speaks(s.afterwards),
        "your answer to {s.asked} came only when the input had ended: do not read all of it before you "
        "answer, but line by line (Python: for line in sys.stdin). If you do so already, flush after every "
        "answer",
    ),
    Cure(
        "starved",
        SILENT,
        lambda s: not s.line and s.starved,
        "the machine was too busy: in {s.waited_for} no answer to {s.asked} came, and for {s.queued_for} of "
        "it the bot stood in the queue for a core. Check it again when the machine "
        "has less to do, or with more time (--startup, --time)",
        blameless=True,
    ),
    Cure(
        "busy-start",
        (F.HANDSHAKE,),
        lambda s: not s.line and s.busy > MOSTLY,
        "it computed for {s.waited_for}, and had not answered `hello` then: is there an endless loop? "
        "Otherwise load less, or answer `hello` before you load",
    ),
    Cure(
        "busy",
        (F.TIMEOUT,),
        lambda s: not s.line and s.busy > MOSTLY,
        "it computed for {s.waited_for}, and had not answered {s.asked} then: is there an endless loop? Look "
        "at `ms` while you search",
    ),
    Cure(
        "waiting",
        (F.HANDSHAKE,),
        lambda s: not s.line and s.heard,
        "it said nothing in {s.waited_for}, and was waiting for something: read one line from standard "
        "input, as UTF-8, and answer `hello` with `ready`",
    ),
    Cure(
        "not-reading",
        (F.HANDSHAKE,),
        lambda s: not s.line,
        "it said nothing in {s.waited_for}, did not compute, and read nothing: does it sleep, or wait for "
        "another process or a file, before it reads its standard input? Read one line, and answer `hello` "
        "with `ready`, at once",
    ),
    Cure(
        "unanswered",
        (F.TIMEOUT,),
        lambda s: s.heard,
        "it read {s.asked_in_full} and went on to the next line, but no answer came in {s.waited_for}: does "
        "it answer every request, whatever its `decision`? Is every answer flushed?",
    ),
    Cure(
        "slow",
        (F.TIMEOUT,),
        predicates.always,
        "no answer to {s.asked} came in {s.waited_for}, and it was not computing: does it sleep, or wait for "
        "another process, or for a line that does not come? `ms` in a request is all the time that there is",
    ),
    # ── an unexpected line ──────────────────────────────────────────────────────────────────────────────
    Cure(
        "utf-16",
        LINES,
        predicates.utf_16,
        "your output is UTF-16 (or UTF-32): write UTF-8 (PowerShell: [Console]::OutputEncoding = "
        '[Text.UTF8Encoding]::new($false); Java: new PrintStream(System.out, true, "UTF-8"))',
    ),
    Cure("zero-bytes", LINES, lambda s: b"\0" in s.line, f"there are zero bytes in your line: {NO_ZEROS}"),
    Cure(
        "byte-order-mark",
        LINES,
        lambda s: s.line.startswith(b"\xef\xbb\xbf"),
        "a byte order mark stands before your line, and only your very first may have one: write UTF-8 "
        "without it (Python: utf-8, not utf-8-sig)",
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
        "your JSON stands on several lines: a message is one line, so print it without indentation",
    ),
    Cure(
        "several-on-a-line",
        LINES,
        predicates.several_on_a_line,
        "more than one message, or something else, stands on one line: write a newline after each",
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
        "that is Python's way to show bytes, b'…', and no text: print(message.decode(), flush=True), if "
        "`message` is what json.dumps(…).encode() or orjson.dumps(…) gave",
    ),
    Cure(
        "object-object",
        LINES,
        lambda s: b"[object Object]" in s.line,
        "that is an object turned to text by JavaScript: console.log(JSON.stringify(message))",
    ),
    Cure(
        "unquoted-keys",
        LINES,
        predicates.unquoted_keys,
        "in JSON names and texts stand in double quotes: use your language's JSON library",
    ),
    Cure(
        "action-alone",
        LINES,
        lambda s: not s.greeting and (s.message in s.legal or s.text in s.legal),
        "you sent the action alone: a reply is an object with type, id and action",
    ),
    Cure(
        "index-alone",
        LINES,
        lambda s: not s.greeting and predicates.integer(s.message),
        "you sent a number alone: a reply is an object with type, id and action",
    ),
    Cure(
        "encoded-twice",
        LINES,
        predicates.encoded_twice,
        "that is JSON inside a JSON text: encode the object only once",
    ),
    Cure(
        "prompt",
        LINES,
        predicates.behind_a_prompt,
        "something stands before the JSON on its line: print no prompt, and nothing else on standard output",
    ),
    Cure(
        "banner",
        (F.HANDSHAKE,),
        predicates.plain_text,
        "the first line has to be your `ready`, and you printed {s.quoted}: send greetings and debugging "
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
        "that is JSON, but no object: an answer has a `type` and further fields",
    ),
    Cure(
        "no-type",
        LINES,
        lambda s: "type" not in s.fields,
        "your line has no `type`: it has to be the text ready or reply",
    ),
    Cure(
        "reply-to-hello",
        (F.HANDSHAKE,),
        lambda s: s.fields.get("type") == "reply",
        "you answered `hello` with a reply: look at `type`, and answer `hello` with `ready`",
    ),
    Cure(
        "ready-to-request",
        (F.MALFORMED,),
        lambda s: s.fields.get("type") == "ready",
        "you answered a request with `ready`: look at `type`, and answer a request with a reply. Or did you "
        "send `ready` twice?",
    ),
    Cure(
        "other-type",
        LINES,
        lambda s: s.fields.get("type") not in ("ready", "reply"),
        "an answer to {s.asked} has the `type` “ready” or “reply”, exactly, and yours is another",
    ),
    Cure(
        "protocol",
        (F.HANDSHAKE,),
        lambda s: "protocol" in s.fields and s.fields["protocol"] != 1,
        "your `ready` speaks of another protocol: it is the integer 1, or left out",
    ),
    Cure(
        "no-name",
        (F.HANDSHAKE,),
        lambda s: not isinstance(s.fields.get("name"), str),
        "your `ready` needs a `name`, which is text",
    ),
    Cure(
        "no-id",
        (F.MALFORMED,),
        lambda s: "id" not in s.fields,
        "your reply has no `id`: send back the request's",
    ),
    Cure(
        "id-as-text",
        (F.MALFORMED,),
        lambda s: isinstance(s.id_sent, str),
        "your `id` is text: send the number as it came, without quotes",
    ),
    Cure(
        "id-no-integer",
        (F.MALFORMED,),
        lambda s: not predicates.integer(s.id_sent),
        "your `id` is no integer (7, not 7.0, true or null): send the number as it came",
    ),
    Cure(
        "wrong-id",
        (F.MALFORMED,),
        lambda s: s.id_sent != s.request_id,
        "you answered {s.asked} with id {s.id_sent}: do not count, send back the `id` of the request itself",
    ),
    Cure(
        "no-action",
        (F.MALFORMED,),
        lambda s: "action" not in s.fields,
        "your reply has no `action`: it is one of the texts in `legal`",
    ),
    Cure(
        "action-as-number",
        (F.MALFORMED,),
        lambda s: predicates.integer(s.fields["action"]),
        "your `action` is a number: send the text itself, legal[i], and not where it stands "
        '("action":{s.example})',
    ),
    Cure(
        "action-object",
        (F.MALFORMED,),
        lambda s: isinstance(s.fields["action"], dict | list),
        "your `action` is an object or a list: a card is sent as the one text by which `legal` names it "
        '("action":{s.example})',
    ),
    Cure(
        "action-no-text",
        (F.MALFORMED,),
        lambda s: not isinstance(s.fields["action"], str),
        "your `action` is not text: send one of the texts in `legal`, as it stands there",
    ),
    Cure(
        "null",
        LINES,
        lambda s: None in s.fields.values(),
        "null is no text: leave out a field that you have nothing for",
    ),
    Cure("other-line", LINES, predicates.always, "your line is not the {s.wanted} that was due: {s.detail}"),
    # ── a reply, but not a legal one ────────────────────────────────────────────────────────────────────
    Cure(
        "other-case",
        (F.ILLEGAL,),
        predicates.other_case,
        "you sent {s.quoted}: send the text exactly as it stands in `legal`, capitals and all, nothing more",
    ),
    Cure(
        "index",
        (F.ILLEGAL,),
        predicates.index,
        "you sent {s.quoted}, which looks like a position in `legal`: send the text that stands there",
    ),
    Cure(
        "other-order",
        (F.ILLEGAL,),
        predicates.other_order,
        "you sent {s.quoted}: a card is its letter and then its value, as it stands in `legal`",
    ),
    Cure(
        "not-allowed",
        (F.ILLEGAL,),
        predicates.in_hand,
        "{s.quoted} is yours, but the rules do not allow it now: choose from `legal`, not from `hand`",
    ),
    Cure(
        "from-memory",
        (F.ILLEGAL,),
        lambda s: s.text in s.offered,
        "{s.quoted} was legal before and is no more: choose from the `legal` of the request itself, not from "
        "what you remember",
    ),
    Cure(
        "illegal",
        (F.ILLEGAL,),
        predicates.always,
        "{s.quoted} is not in `legal`: send one of the texts there, exactly",
    ),
    # ── too much ────────────────────────────────────────────────────────────────────────────────────────
    Cure(
        "long-line",
        (F.FLOOD,),
        lambda s: b"\n" not in s.said[:FLOOD_LIMIT],
        "it wrote 64 KiB without a newline: is there an endless loop? An answer is one short line",
    ),
    Cure(
        "flood",
        (F.FLOOD,),
        predicates.always,
        "it wrote 64 KiB, and no answer to {s.asked} among it: is there an endless loop that prints?",
    ),
    Cure(
        "memory",
        (F.MEMORY,),
        predicates.always,
        "it used more memory than a bot may ({s.detail}): does something grow without end?",
    ),
    Cure(
        "excess",
        (F.EXCESS,),
        predicates.always,
        "it computed between its turns ({s.detail}): let helpers, timers and threads come to rest before you "
        "answer",
    ),
)

BLAMELESS: Final = frozenset(cure.name for cure in CURES if cure.blameless)

BY_KIND: Final[Mapping[F, str]] = {
    F.SPAWN: "`arena check` says what keeps it from being started",
    F.HANDSHAKE: "`arena check` waits for its `ready`, and says what was wrong with it",
    F.TIMEOUT: "`arena check` measures how fast it answers; think for less time than the limit",
    F.MALFORMED: "answer with one line of JSON, and print nothing else to standard output",
    F.ILLEGAL: "choose one of the actions in `legal` of the request that is answered",
    F.EXITED: "it crashed or ended: play it by `arena match`, which shows what it wrote",
    F.FLOOD: "is there an endless loop that prints? Answer with one line for each request",
    F.MEMORY: "does something grow without end? `arena check` plays under the same limit",
    F.EXCESS: "let helpers, timers and threads come to rest before you answer",
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
