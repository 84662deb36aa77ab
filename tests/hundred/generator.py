"""A hundred broken bots as beginners write them, and what each becomes when a cure is applied.

A bot is a right program of `right/` with one mistake put in by edits, or two. A cure takes out the mistakes
that it mends, and changes nothing where it mends none. What is broken and what is right the referee decides
(test_hundred.py). Nothing here knows `arena check`, and its table of cures was not read for this.
"""

import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import indent

RIGHT = Path(__file__).parent / "right"

CURES = {
    "faster": "compute less, so that the answer is there within the limit",
    "no-sleep": "do not sleep or wait for a timer",
    "flush": "flush after each line",
    "newline": "end each line with \\n",
    "read-line": "read one whole line at a time, and answer it before the next is read",
    "json": "write JSON, not what the language prints of a value",
    "one-line": "write a message on one line, without indentation",
    "stderr": "write prompts, debugging text and warnings to standard error",
    "id-number": "send `id` as an integer",
    "echo-id": "send the `id` of the request that is answered",
    "type": "give the message its `type`",
    "ready": "answer each `hello` with one valid `ready`",
    "action-text": "send `action` as a text",
    "null": "leave an optional field out instead of sending null",
    "legal": "choose among `legal` of this request",
    "exact-text": "send the action letter for letter as it stands in `legal`",
    "utf-8": "write UTF-8",
    "no-double-encoding": "encode a message as JSON once",
    "one-message-per-line": "write one message a line",
    "exception": "mend the crash itself, where the program was when it ended",
    "seats": "do not count on a number of seats",
    "loop": "play on until the end of input",
    "answer-decisions": "answer every kind of decision",
    "module": "do without the module that is not there",
    "memory": "keep less in memory",
    "less-output": "write less",
    "rest": "compute only while a request is open",
    "shebang": "name an interpreter that is there in the #! line, which ends with \\n",
    "executable": "make the file executable",
    "stay-foreground": "do not leave the work to a process in the background",
    "keep-pipes-open": "do not close standard input or output",
    "game": "look at which game is played",
    "no-bom": "write no byte order mark",
}
"""What a beginner can be told to do. Not every one of them mends a bot of the hundred."""


@dataclass(frozen=True)
class Language:
    name: str
    right: str
    """The right program, a file of `right/`."""
    needs: tuple[str, ...]
    """Programs that have to be on the PATH."""
    act: str = ""
    """The statement that chooses the action, with its indentation."""
    busy: str = ""
    """Computes for `SECONDS` of processor time."""
    sleep: str = ""
    """Does nothing for `SECONDS`."""
    when: str = ""
    """Does `CODE` on `CONDITION`."""
    includes: tuple[str, str] = ("", "")
    """What has to be replaced, by what, before `busy` and `sleep` work."""
    suffix: str = ""
    executable: bool = False
    folder: Mapping[str, str] = field(default_factory=dict)
    """The files beside the program; with any, the bot is a folder."""

    @property
    def missing(self) -> list[str]:
        return [program for program in self.needs if shutil.which(program) is None]


@dataclass(frozen=True)
class Source:
    """A program as it stands on disk."""

    text: str
    executable: bool = False


Edit = tuple[str, str]
"""Every occurrence of the first text, of which there is at least one, becomes the second."""


@dataclass(frozen=True)
class Mistake:
    words: str
    cures: tuple[str, ...]
    """The names of the cure. Two names are two words for the same change of the same lines."""
    edits: tuple[Edit, ...] = ()
    executable: bool | None = None
    """Whether the file is executable, where that is the mistake."""


@dataclass(frozen=True)
class Bot:
    name: str
    language: Language
    mistakes: tuple[Mistake, ...]
    time: str = "100ms+500ms"
    """`--time` of the command."""
    startup: str = "10s"
    """`--startup` of the command."""
    memory: int = 512
    """`--memory` of the command, in MB."""
    game: str = "sticheln"
    seats: int = 3
    """How many seats a match has in which the mistake shows."""

    @property
    def words(self) -> str:
        return ", and ".join(mistake.words for mistake in self.mistakes)

    @property
    def file(self) -> str:
        """The name of the program's file."""
        return f"{self.name}{self.language.suffix}"

    @property
    def source(self) -> Source:
        """The broken program."""
        return self.after(())

    @property
    def cures(self) -> dict[str, Source]:
        """What the broken program becomes by each cure alone."""
        return {cure: self.after((cure,)) for cure in CURES}

    @property
    def right_cures(self) -> tuple[str, ...]:
        """One cure for each mistake; together they make the bot right."""
        return tuple(mistake.cures[0] for mistake in self.mistakes)

    def after(self, applied: Iterable[str]) -> Source:
        """The program after all these cures."""
        applied = set(applied)
        if unknown := applied - CURES.keys():
            raise KeyError(f"no cure is called {min(unknown)!r}")
        text, executable = (RIGHT / self.language.right).read_text(), self.language.executable
        for mistake in self.mistakes:
            if applied.isdisjoint(mistake.cures):
                for old, new in mistake.edits:
                    if old not in text:
                        raise ValueError(f"{self.name}: {old!r} is not in the program")
                    text = text.replace(old, new)
                if mistake.executable is not None:
                    executable = mistake.executable
        return Source(text, executable)

    def write(self, folder: Path, source: Source) -> Path:
        """Puts the program into `folder`, over an earlier one; returns the path to give to the arena."""
        path = folder / self.file
        if self.language.folder:
            path = folder / self.name / self.file
            path.parent.mkdir(exist_ok=True)
            for name, text in self.language.folder.items():
                (path.parent / name).write_text(text.replace("FILE", self.file))
        path.write_text(source.text, newline="")
        path.chmod(0o755 if source.executable else 0o644)
        return path.parent if self.language.folder else path


PYTHON = Language(
    "Python",
    "bot.py",
    ("python3",),
    suffix=".py",
    act="        action = choose(message)\n",
    busy="started = time.process_time()\nwhile time.process_time() - started < SECONDS:\n    pass\n",
    sleep="time.sleep(SECONDS)\n",
    when="if CONDITION:\nCODE",
    includes=("import sys\n", "import sys\nimport time\n"),
)
JAVASCRIPT = Language(
    "JavaScript",
    "bot.js",
    ("node",),
    suffix=".js",
    act="    const action = choose(message);\n",
    busy="const started = process.cpuUsage().user;\n"
    "while (process.cpuUsage().user - started < SECONDS * 1e6) {}\n",
    sleep="Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, SECONDS * 1000);\n",
    when="if (CONDITION) {\nCODE}\n",
)
PERL = Language(
    "Perl",
    "bot.pl",
    ("perl",),
    suffix=".pl",
    act="        my $action = choose($message);\n",
    busy="my ($started) = times;\nwhile ((times)[0] - $started < SECONDS) { }\n",
    sleep="select(undef, undef, undef, SECONDS);\n",
    when="if (CONDITION) {\nCODE}\n",
)
RUBY = Language(
    "Ruby",
    "bot.rb",
    ("ruby",),
    suffix=".rb",
    act="    action = choose(message)\n",
    busy="started = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)\n"
    "nil while Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) - started < SECONDS\n",
    sleep="sleep SECONDS\n",
    when="if CONDITION\nCODEend\n",
)
PHP = Language(
    "PHP",
    "bot.php",
    ("php",),
    suffix=".php",
    act="        $action = choose($message);\n",
    busy="$started = hrtime(true);\nwhile (hrtime(true) - $started < SECONDS * 1e9);\n",
    sleep="usleep((int) (SECONDS * 1000000));\n",
    when="if (CONDITION) {\nCODE}\n",
)
LUA = Language(
    "Lua",
    "bot.lua",
    ("lua",),
    suffix=".lua",
    act="        local action = choose(line)\n",
    busy="local started = os.clock()\nwhile os.clock() - started < SECONDS do end\n",
    sleep='os.execute("sleep SECONDS")\n',
    when="if CONDITION then\nCODEend\n",
)
SHELL = Language(
    "shell",
    "bot.sh",
    ("sh", "awk"),
    suffix=".sh",
    act='        choose "$line"\n',
    busy="i=0\nwhile [ $i -lt SECONDS ]; do\n    i=$((i + $(echo 1 | awk '{ print $1 }')))\ndone\n",
    sleep="sleep SECONDS\n",
)
AWK = Language(
    "awk",
    "awk.sh",
    ("sh", "mawk"),
    suffix=".sh",
    act="    action = choose($0)\n",
    busy="for (i = 0; i < SECONDS * 60000000; i++) sum += i\n",
    sleep='system("sleep SECONDS")\n',
)
C = Language(
    "C",
    "bot.c",
    ("gcc",),
    suffix=".c",
    act="            choose(line);\n",
    busy="clock_t started = clock();\nwhile (clock() - started < SECONDS * CLOCKS_PER_SEC);\n",
    sleep="usleep(SECONDS * 1000000);\n",
    when="if (CONDITION) {\nCODE}\n",
    includes=("#include <string.h>\n", "#include <string.h>\n#include <time.h>\n#include <unistd.h>\n"),
    folder={"bot.toml": 'build = "gcc -O1 -o bot FILE"\ncommand = ["./bot"]\n'},
)
SCRIPT = Language("shell script", "script", ("sh",), executable=True)
FOLDER = Language(
    "shell in a folder",
    "script",
    ("sh",),
    suffix=".sh",
    executable=True,
    folder={"bot.toml": 'command = ["./FILE"]\n'},
)


def delay(language: Language, kind: str, seconds: str, condition: str = "") -> tuple[Edit, ...]:
    """Busy or asleep before the action is chosen, always or on a condition."""
    code = (language.busy if kind == "busy" else language.sleep).replace("SECONDS", seconds)
    if condition:
        code = language.when.replace("CONDITION", condition).replace("CODE", indent(code, "    "))
    return (*included(language), *first(language, code))


def included(language: Language) -> tuple[Edit, ...]:
    return (language.includes,) if language.includes[0] else ()


def first(language: Language, code: str) -> tuple[Edit, ...]:
    """The code before the action is chosen."""
    margin = language.act[: len(language.act) - len(language.act.lstrip())]
    return ((language.act, indent(code, margin) + language.act),)


def slow(language: Language, seconds: str, words: str, condition: str = "") -> Mistake:
    return Mistake(f"computes {words}", ("faster",), delay(language, "busy", seconds, condition))


def sleeping(language: Language, seconds: str, words: str, condition: str = "") -> Mistake:
    return Mistake(f"sleeps {words}", ("no-sleep",), delay(language, "sleep", seconds, condition))


def mistake(cures: str, words: str, *edits: Edit) -> Mistake:
    return Mistake(words, tuple(cures.split()), edits)


def hundred() -> tuple[Bot, ...]:
    """All bots, in an order that stays."""
    return (
        *slow_bots(),
        *sleeping_bots(),
        *unflushed_bots(),
        *wrong_bots(),
        *crashing_bots(),
        *combined_bots(),
    )


def slow_bots() -> Iterator[Bot]:
    yield Bot("slow-python", PYTHON, (slow(PYTHON, "0.15", "for 1.5 times the limit"),))
    yield Bot("slow-c", C, (slow(C, "0.15", "for 1.5 times the limit"),))
    yield Bot("slow-js", JAVASCRIPT, (slow(JAVASCRIPT, "0.3", "for 3 times the limit"),))
    yield Bot("slow-php", PHP, (slow(PHP, "0.3", "for 3 times the limit"),))
    yield Bot("slow-lua", LUA, (slow(LUA, "5.0", "for 50 times the limit"),))
    yield Bot("slow-awk", AWK, (slow(AWK, "5", "for some 50 times the limit"),))
    yield Bot("slow-shell", SHELL, (slow(SHELL, "1000", "by starting two thousand processes"),))
    yield Bot(
        "slow-perl-fifth",
        PERL,
        (slow(PERL, "1.0", "for 10 times the limit at the fifth request", "$message->{id} == 5"),),
    )
    yield Bot(
        "slow-ruby-pain",
        RUBY,
        (slow(RUBY, "1.0", "for 10 times the limit at each `pain`", "message['decision'] == 'pain'"),),
    )
    yield Bot(
        "slow-c-lead",
        C,
        (slow(C, "0.3", "for 3 times the limit when it leads", r'strstr(line, "\"trick\":[],")'),),
    )
    yield Bot(
        "slow-js-growing",
        JAVASCRIPT,
        (slow(JAVASCRIPT, "message.view.deal_no ** 3 * 0.04", "the longer the later the deal"),),
    )
    permutations = (
        ("import sys\n", "import sys\nfrom itertools import permutations\n"),
        (
            'return request["legal"][0]',
            "best = max(permutations(range(11)), key=lambda order: order[0] * order[-1])\n"
            '    return request["legal"][best[0] % len(request["legal"])]',
        ),
    )
    yield Bot(
        "slow-python-search",
        PYTHON,
        (Mistake("looks at all permutations of eleven", ("faster",), permutations),),
        time="1s+2s",
    )
    busy = JAVASCRIPT.busy.replace("SECONDS", "6")
    yield Bot(
        "slow-js-start",
        JAVASCRIPT,
        (
            mistake(
                "faster",
                "computes for 3 times the start-up limit",
                ("readline.create", f"{busy}readline.create"),
            ),
        ),
        startup="2s",
    )


def sleeping_bots() -> Iterator[Bot]:
    yield Bot("sleeping-python", PYTHON, (sleeping(PYTHON, "0.15", "1.5 times the limit"),))
    yield Bot("sleeping-perl", PERL, (sleeping(PERL, "0.3", "3 times the limit"),))
    yield Bot("sleeping-lua", LUA, (sleeping(LUA, "0.3", "3 times the limit"),))
    yield Bot("sleeping-c", C, (sleeping(C, "1.0", "10 times the limit"),))
    yield Bot("sleeping-shell", SHELL, (sleeping(SHELL, "5", "50 times the limit"),))
    reply = 'say({ type: "reply", id: message.id, action: action });'
    yield Bot(
        "sleeping-js",
        JAVASCRIPT,
        (
            mistake(
                "no-sleep",
                "answers by a timer of 3 times the limit",
                (reply, f"setTimeout(() => {reply[:-1]}, 300);"),
            ),
        ),
    )
    yield Bot(
        "sleeping-ruby-fifth",
        RUBY,
        (sleeping(RUBY, "1", "10 times the limit at the fifth request", "message['id'] == 5"),),
    )
    yield Bot(
        "sleeping-php-pain",
        PHP,
        (sleeping(PHP, "1", "10 times the limit at each `pain`", "$message['decision'] === 'pain'"),),
    )
    yield Bot(
        "sleeping-python-start",
        PYTHON,
        (
            mistake(
                "no-sleep",
                "sleeps 5 times the start-up limit",
                PYTHON.includes,
                ("for line in sys.stdin:", "time.sleep(10)\nfor line in sys.stdin:"),
            ),
        ),
        startup="2s",
    )


def unflushed_bots() -> Iterator[Bot]:
    python = "    print(json.dumps(message), flush=True)"
    c = "            fflush(stdout);\n"
    lua = "    io.flush()\n"
    say = 'process.stdout.write(JSON.stringify(message) + "\\n");'
    pairs = (
        "waiting.push(JSON.stringify(message));\n"
        '  if (waiting.length >= 2) process.stdout.write(waiting.splice(0).join("\\n") + "\\n");'
    )

    def bot(name: str, language: Language, words: str, *edits: Edit) -> Bot:
        return Bot(f"unflushed-{name}", language, (mistake("flush", words, *edits),))

    yield bot("python", PYTHON, "never flushes", (", flush=True", ""))
    yield bot("perl", PERL, "never flushes", ("$| = 1;\n", ""))
    yield bot("ruby", RUBY, "never flushes", ("$stdout.sync = true\n\n", ""))
    yield bot("lua", LUA, "never flushes", (lua, ""))
    yield bot("c", C, "never flushes", (c, ""))
    yield bot(
        "php", PHP, "buffers its output", ("<?php\n", "<?php\nob_start();\n"), ("fwrite(STDOUT, ", "print(")
    )
    yield bot("c-ready-only", C, "flushes `ready` only", (f"id, action);\n{c}", "id, action);\n"))
    yield bot(
        "c-setvbuf",
        C,
        "asks for full buffering",
        (c, ""),
        ("    while (", "    setvbuf(stdout, NULL, _IOFBF, 1 << 16);\n    while ("),
    )
    yield bot(
        "python-second",
        PYTHON,
        "flushes every second line",
        ("def say(message):\n", "said = 0\n\n\ndef say(message):\n    global said\n    said += 1\n"),
        ("flush=True", "flush=said % 2 == 1"),
    )
    yield bot(
        "python-before",
        PYTHON,
        "flushes before it prints",
        (python, "    sys.stdout.flush()\n    print(json.dumps(message))"),
    )
    yield bot(
        "js-pairs",
        JAVASCRIPT,
        "writes two lines at a time",
        (say, pairs),
        ("function say", "const waiting = [];\n\nfunction say"),
    )


def wrong_bots() -> Iterator[Bot]:
    yield from reading_bots()
    yield from wording_bots()
    yield from chattering_bots()
    yield from field_bots()
    yield from illegal_bots()
    yield from silent_bots()
    yield from starting_bots()


def reading_bots() -> Iterator[Bot]:
    loop = "for line in sys.stdin:\n"
    ahead = "lines = iter(sys.stdin)\nline = next(lines)\nfor following in lines:\n"
    message = "    message = json.loads(line)\n"
    readline = 'readline.createInterface({ input: process.stdin }).on("line", hear);'
    whole = 'require("fs").readFileSync(0, "utf8").split("\\n").filter(Boolean).forEach(hear);'

    def bot(name: str, language: Language, words: str, *edits: Edit) -> Bot:
        return Bot(f"reading-{name}", language, (mistake("read-line", words, *edits),))

    yield bot(
        "python", PYTHON, "reads all input first", (loop, "for line in sys.stdin.read().splitlines():\n")
    )
    yield bot(
        "python-ahead",
        PYTHON,
        "reads the next line before it answers",
        (f"{loop}{message}", f"{ahead}{message}    line = following\n"),
    )
    yield bot("js", JAVASCRIPT, "reads all input first", (readline, whole))
    yield bot("perl", PERL, "reads all input first", ("while (my $line = <STDIN>)", "for my $line (<STDIN>)"))
    yield bot(
        "ruby",
        RUBY,
        "reads all input first",
        ("while (line = $stdin.gets)", "$stdin.readlines.each do |line|"),
    )
    yield bot(
        "c", C, "reads blocks of 4 KiB", ("fgets(line, sizeof line, stdin)", "fread(line, 1, 4096, stdin)")
    )
    yield bot("awk", AWK, "is run by an awk that reads blocks", (" -W interactive", ""))


def wording_bots() -> Iterator[Bot]:
    dumps = "print(json.dumps(message), flush=True)"
    ruby = "puts JSON.generate(message)"
    js = "JSON.stringify(message)"
    echo = r'echo "{\"type\":\"reply\",\"id\":$id,\"action\":\"$action\"}"'
    bare = 'echo "{"type":"reply","id":$id,"action":"$action"}"'

    def bot(name: str, language: Language, cure: str, words: str, *edits: Edit) -> Bot:
        return Bot(name, language, (mistake(cure, words, *edits),))

    yield bot("newline-python", PYTHON, "newline", "writes no newline", ("flush=True", 'end="", flush=True'))
    yield bot("newline-js", JAVASCRIPT, "newline", "writes no newline", (' + "\\n"', ""))
    yield bot(
        "newline-lua",
        LUA,
        "newline",
        "ends a line with \\r",
        (r'io.write(text, "\n")', r'io.write(text, "\r")'),
    )
    yield bot("json-python", PYTHON, "json", "prints a dict", (dumps, "print(message, flush=True)"))
    yield bot(
        "json-js",
        JAVASCRIPT,
        "json",
        "prints an object",
        (f'process.stdout.write({js} + "\\n");', "console.log(message);"),
    )
    yield bot("json-ruby", RUBY, "json", "prints a hash", (ruby, "puts message.inspect"))
    yield bot(
        "json-c", C, "json", "leaves out the quotes of the action", (r"\"action\":\"%s\"", r"\"action\":%s")
    )
    yield bot("json-shell", SHELL, "json", "loses the quotes to the shell", (echo, bare))
    yield bot(
        "indent-python",
        PYTHON,
        "one-line",
        "indents",
        ("json.dumps(message)", "json.dumps(message, indent=2)"),
    )
    yield bot(
        "indent-php",
        PHP,
        "one-line",
        "indents",
        ("json_encode($message)", "json_encode($message, JSON_PRETTY_PRINT)"),
    )
    yield bot("double-js", JAVASCRIPT, "no-double-encoding", "encodes twice", (js, f"JSON.stringify({js})"))
    yield bot(
        "two-perl",
        PERL,
        "one-message-per-line",
        "writes two messages on a line",
        ("print $json->encode($message)", "print $json->encode({ type => 'info' }), $json->encode($message)"),
    )
    yield bot(
        "latin-python",
        PYTHON,
        "utf-8",
        "writes Latin-1",
        ("def say", 'sys.stdout.reconfigure(encoding="latin-1")\n\n\ndef say'),
        ("json.dumps(message)", "json.dumps(message, ensure_ascii=False)"),
        ('"action": action}', '"action": action, "note": "schöne Karte"}'),
    )


def chattering_bots() -> Iterator[Bot]:
    def bot(name: str, language: Language, words: str, *edits: Edit) -> Bot:
        return Bot(f"talk-{name}", language, (mistake("stderr", words, *edits),))

    yield bot(
        "python-banner",
        PYTHON,
        "prints a banner",
        ("for line", 'print("MyBot 1.0, good luck!", flush=True)\n\nfor line'),
    )
    yield bot(
        "js-debug",
        JAVASCRIPT,
        "prints what it thinks from request 21 on",
        *first(
            JAVASCRIPT, 'if (message.id > 20) console.log("thinking about", message.legal.length, "cards");\n'
        ),
    )
    yield bot("c-prompt", C, "prompts", *first(C, 'printf("Which card shall I play? ");\n'))
    yield bot("shell-debug", SHELL, "prints that it was asked", *first(SHELL, 'echo "got request $id"\n'))
    yield bot(
        "php-warning",
        PHP,
        "lets PHP print its warnings",
        ("<?php\n", "<?php\nini_set('display_errors', '1');\n"),
        *first(PHP, "$best = $message['best'];\n"),
    )


def field_bots() -> Iterator[Bot]:
    def bot(name: str, language: Language, cure: str, words: str, *edits: Edit) -> Bot:
        return Bot(name, language, (mistake(cure, words, *edits),))

    yield bot(
        "id-python-text", PYTHON, "id-number", "sends `id` as a text", ('message["id"]', 'str(message["id"])')
    )
    yield bot(
        "id-perl-text", PERL, "id-number", "sends `id` as a text", ("$message->{id}", '"$message->{id}"')
    )
    yield bot("id-js-none", JAVASCRIPT, "echo-id", "sends no `id`", ("id: message.id, ", ""))
    yield bot(
        "id-lua-count",
        LUA,
        "echo-id",
        "counts requests from 1 in each deal",
        ("for line in", "local count = 0\n\nfor line in"),
        (
            """        local id = tonumber(line:match('"id":(%d+)'))\n""",
            """        if line:find('"decision":"pain"', 1, true) then count = 0 end\n"""
            "        count = count + 1\n        local id = count\n",
        ),
    )
    yield bot("type-ruby", RUBY, "type", "says `move` for `reply`", ("type: 'reply'", "type: 'move'"))
    ready = (
        r'            printf("{\"type\":\"ready\",\"name\":\"mybot\"}\n");'
        + "\n            fflush(stdout);\n"
    )
    yield bot("ready-c-none", C, "ready", "does not answer `hello`", (ready, "            continue;\n"))
    yield bot(
        "ready-shell-twice",
        SHELL,
        "ready",
        "answers `hello` twice",
        ("""mybot"}' ;;""", """mybot"}'\n        echo '{"type":"ready","name":"mybot"}' ;;"""),
    )
    yield bot(
        "action-python-index",
        PYTHON,
        "action-text",
        "sends the number of an action",
        ('return request["legal"][0]', "return 0"),
    )
    yield bot(
        "null-js",
        JAVASCRIPT,
        "null",
        "sends a note that is null",
        ("action: action }", "action: action, note: null }"),
    )


def illegal_bots() -> Iterator[Bot]:
    yield Bot(
        "illegal-python-memory",
        PYTHON,
        (
            mistake(
                "legal",
                "keeps its own hand, and its pain card in it",
                ("def choose(request):\n", "hand = []\n\n\ndef choose(request):\n"),
                (
                    '    return request["legal"][0]',
                    '    if request["decision"] == "pain":\n        hand[:] = request["legal"]\n'
                    "        return hand[0]\n    return hand.pop(0)",
                ),
            ),
        ),
    )
    yield Bot(
        "illegal-perl-ole",
        PERL,
        (
            mistake(
                "legal",
                "plays the first card it holds",
                ("$request->{legal}[0]", "$request->{view}{hand}[0]"),
            ),
        ),
        game="ole",
    )
    lower = mistake(
        "exact-text",
        "sends small letters",
        ('return line:match(\'"legal":%["(%w+)"\')', 'return line:match(\'"legal":%["(%w+)"\'):lower()'),
    )
    yield Bot("lower-lua", LUA, (lower,))


def silent_bots() -> Iterator[Bot]:
    """Those that end too soon, or say nothing now and then."""
    say = '    say({ type: "reply", id: message.id, action: action });'
    yield Bot(
        "skips-js-pain",
        JAVASCRIPT,
        (
            mistake(
                "answer-decisions",
                "answers `play` only",
                (say, f'    if (message.decision === "play") {say.lstrip()}'),
            ),
        ),
    )
    top = mistake(
        "answer-decisions",
        "does not answer `top`",
        (
            '    elif message["type"] == "request":',
            '    elif message["type"] == "request" and message["decision"] != "top":',
        ),
    )
    yield Bot("skips-python-top", PYTHON, (top,), game="ole")
    one = mistake(
        "loop", "ends after one action", (r'\"$action\"}" ;;', r'\"$action\"}"' + "\n        exit 0 ;;")
    )
    yield Bot("ends-shell", SHELL, (one,))
    deal = mistake(
        "loop",
        "ends after one deal",
        ("action: action })\n", "action: action })\n    break if message['legal'].length == 1\n"),
    )
    yield Bot("ends-ruby-deal", RUBY, (deal,))
    closed = mistake(
        "keep-pipes-open",
        "closes its output after `ready`",
        (
            r'mybot\"}\n");' + "\n            fflush(stdout);",
            r'mybot\"}\n");' + "\n            fclose(stdout);",
        ),
    )
    yield Bot("closes-c", C, (closed,))
    background = mistake(
        "stay-foreground",
        "goes on in the background",
        ("done\n", "done <&3 &\n"),
        ("choose() {", "exec 3<&0\nchoose() {"),
    )
    yield Bot("background-shell", SHELL, (background,))


def starting_bots() -> Iterator[Bot]:
    missing = mistake(
        "shebang", "names an interpreter that is not there", ("#!/bin/sh\n", "#!/usr/local/bin/bash-5.3\n")
    )
    windows = mistake("shebang", "ends its #! line as on Windows", ("#!/bin/sh\n", "#!/bin/sh\r\n"))
    yield Bot("shebang-missing", SCRIPT, (missing,))
    yield Bot("shebang-windows", SCRIPT, (windows,))
    yield Bot("not-executable", FOLDER, (Mistake("is not executable", ("executable",), executable=False),))


def crashing_bots() -> Iterator[Bot]:
    def bot(
        name: str, language: Language, words: str, *edits: Edit, cures: str = "exception", seats: int = 3
    ) -> Bot:
        return Bot(f"crash-{name}", language, (mistake(cures, words, *edits),), seats=seats)

    yield bot(
        "python-start",
        PYTHON,
        "misspells a name at its start",
        ("for line", "strategy = load_stratgy()\n\nfor line"),
    )
    yield bot("js-syntax", JAVASCRIPT, "lacks a brace", ("request.legal[0];\n}", "request.legal[0];\n"))
    yield bot("python-first", PYTHON, "misspells a field", *first(PYTHON, 'hand = message["view"]["hnad"]\n'))
    yield bot(
        "js-late",
        JAVASCRIPT,
        "fails at request 20",
        *first(JAVASCRIPT, "if (message.id === 20) message.view.best.suit;\n"),
    )
    yield bot(
        "perl-lead",
        PERL,
        "dies when it leads",
        *first(
            PERL,
            "die 'no trick to follow' if $message->{decision} eq 'play' && !@{ $message->{view}{trick} };\n",
        ),
    )
    yield bot(
        "ruby-pain",
        RUBY,
        "fails where nobody has a pain card yet",
        *first(RUBY, "worst = message['view']['pain'].max.length\n"),
    )
    yield bot(
        "c-fifth",
        C,
        "reads what is not there at the fifth request",
        *first(C, 'if (id == 5) id += strlen(getenv("STRATEGY"));\n'),
    )
    yield bot(
        "lua-deal",
        LUA,
        "fails in the second deal",
        *first(LUA, """if line:find('"deal_no":2,"deals"', 1, true) then last.score = 0 end\n"""),
    )
    yield bot(
        "php-last",
        PHP,
        "fails at the last card",
        *first(PHP, "$next = max(array_slice($message['legal'], 1));\n"),
    )
    yield bot(
        "shell-late",
        SHELL,
        "reads an unset variable at request 9",
        ("choose() {", "set -u\nchoose() {"),
        *first(SHELL, 'if [ "$id" -gt 8 ]; then echo "$bset" >&2; fi\n'),
    )
    yield bot(
        "python-five-seats",
        PYTHON,
        "has names for four seats",
        *first(
            PYTHON, 'names = ["me", "left", "across", "right"]\nlast = names[message["view"]["seats"] - 1]\n'
        ),
        cures="exception seats",
        seats=5,
    )
    yield bot(
        "c-six-seats",
        C,
        "has room for five seats",
        ("#include <stdio.h>", "#include <assert.h>\n#include <stdio.h>"),
        *first(
            C,
            r'int seats = atoi(strstr(line, "\"seats\":") + strlen("\"seats\":"));'
            + "\nassert(seats <= 5);\n",
        ),
        cures="exception seats",
        seats=6,
    )
    yield bot(
        "python-cut",
        PYTHON,
        "takes 1024 bytes for a line",
        ("import json\n", "import json\nimport os\n"),
        ("for line in sys.stdin:\n", "while line := os.read(0, 1024):\n"),
        cures="read-line exception",
    )
    yield bot(
        "python-module",
        PYTHON,
        "needs a module that is not there",
        ("import sys\n", "import sys\nimport cardtools\n"),
        cures="module",
    )
    yield bot(
        "js-module",
        JAVASCRIPT,
        "needs a module that is not there",
        ('require("readline");\n', 'require("readline");\nconst _ = require("lodash");\n'),
        cures="module",
    )
    yield bot(
        "lua-module",
        LUA,
        "needs a module that is not there",
        ("local function say", 'local json = require("cjson")\n\nlocal function say'),
        cures="module",
    )
    hoard = mistake(
        "memory",
        "keeps 30 MB of each request",
        (
            "def choose(request):\n",
            'seen = []\n\n\ndef choose(request):\n    seen.append(b"x" * 30_000_000)\n',
        ),
    )
    yield Bot("crash-python-memory", PYTHON, (hoard,), memory=128)
    note = mistake(
        "less-output",
        "sends a note of more than 64 KiB",
        ('"action": action}', '"action": action, "note": json.dumps(message) * 100}'),
    )
    yield Bot("floods-python", PYTHON, (note,))


def combined_bots() -> Iterator[Bot]:
    yield Bot(
        "two-python",
        PYTHON,
        (
            mistake("flush", "never flushes", (", flush=True", "")),
            mistake("id-number", "sends `id` as a text", ('message["id"]', 'str(message["id"])')),
        ),
    )
    yield Bot(
        "two-ruby",
        RUBY,
        (
            mistake(
                "stderr",
                "prints a banner",
                ("$stdout.sync = true\n", "$stdout.sync = true\nputs 'MyBot 1.0'\n"),
            ),
            sleeping(RUBY, "0.3", "3 times the limit"),
        ),
    )
    yield Bot(
        "two-c",
        C,
        (
            mistake("ready", "says no name in `ready`", (r"\"ready\",\"name\":\"mybot\"", r"\"ready\"")),
            mistake(
                "exception",
                "reads what is not there at the fifth request",
                *first(C, 'if (id == 5) id += strlen(getenv("STRATEGY"));\n'),
            ),
        ),
    )
