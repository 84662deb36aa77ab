"""The report of a tournament: what it gathers, what it keeps back, and that text stays text."""

import html
import itertools
import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from arena.director.entries import Deadline, MatchPlayed, Withdrawn
from arena.director.journal import Journal
from arena.director.state import Record
from arena.journal.chained import DamageError
from arena.report import LIVE, pages
from arena.report.files import write_report
from arena.report.hands import over
from arena.report.page_writer import write_page
from arena.report.replay_files import write_one_replay
from arena.report.tournament import Heading, report_data
from arena.system.errors import UserError
from protocol.faults import FaultKind
from tests.bench.tables import Size, chance_run, play
from tests.support.large import swiss
from tests.support.reports import copied, entries_of

SENT = "{&#34;type&#34;:&#34;request&#34;"


def written(folder: Path, *, with_stderr: bool = False, replays: bool = True) -> str:
    with Journal(folder) as journal:
        return write_report(journal, with_stderr=with_stderr, replays=replays).report.read_text()


def test_it_gathers_all_there_is(twelve: Path) -> None:
    with Journal(twelve) as journal:
        report = report_data(journal)
    assert report.over
    assert (report.round_no, report.rounds, len(report.matches)) == (2, 2, 24)
    assert [row.name for row in report.standings.entrants][-1] in ("dies", "nasty")
    assert [len(rise.ranks) for rise in report.rises] == [2] * 12
    assert [[len(pod.matches) for pod in pods] for pods in report.drawings] == [[4, 4, 4], [4, 4, 4]]
    assert {(fault.bot, fault.kind, fault.times) for fault in report.faults} == {
        ("dies", FaultKind.EXITED, 8),
        ("nasty", FaultKind.MALFORMED, 8),
    }
    assert {time.name for time in report.times} == {row.name for row in report.standings.entrants}
    assert report.matches[0].seats[0].placing == 1
    for one, others in report.pairs.items():
        for other, pair in others.items():
            assert report.pairs[other][one].difference == -pair.difference


@pytest.mark.thorough  # 3 s of processor.
def test_progress_ends_with_the_table_also_after_a_withdrawal(tmp_path: Path) -> None:
    run = swiss(tmp_path / "run", bots=9, rounds=5, played=4)
    with Journal(run, write=True) as journal:
        before = report_data(journal)
        gone = before.ranked[0].name
        journal.add(Withdrawn(gone, "its author went home"))
        report = report_data(journal)
    rises = {rise.name: rise for rise in report.rises}
    assert rises[gone].ranks[-1] is None
    assert [rank is None for rank in rises[gone].ranks[:-1]] == [
        rank is None for rise in before.rises if rise.name == gone for rank in rise.ranks[:-1]
    ]
    assert any(rises[gone].ranks)
    for row in report.ranked:
        assert rises[row.name].ranks[-1] == row.rank
        assert rises[row.name].gains[-1] == pytest.approx(row.gain)


def test_a_page_that_fails_by_our_own_fault_ends_no_tournament(
    twelve: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when the arena is installed anew while it runs, and its templates ask for what it does not have."""
    monkeypatch.delitem(pages._templates.filters, "g")
    with (
        Journal(copied(twelve, tmp_path / "run", 20)) as journal,
        pytest.raises(UserError, match=r"no report was written.*bug in the arena"),
    ):
        write_page(journal)


def test_the_first_screen_says_who_won(twelve: Path, tmp_path: Path) -> None:
    with Journal(twelve) as journal:
        report = report_data(journal)
    page = written(twelve, replays=False)
    assert f'<p class="sentence"><span id="who-is-ahead">{report.ahead}</span></p>' in html.unescape(page)
    assert report.winners
    assert page.index("Winner") < page.index('id="standings"')
    last = max(at for at, entry in enumerate(entries_of(twelve)) if isinstance(entry, MatchPlayed))
    for until in (2, last):
        running = written(copied(twelve, tmp_path / str(until), until), replays=False)
        assert "Winner" not in running
        assert '<p class="sentence">' in running


def test_the_organiser_heads_the_page(twelve: Path) -> None:
    plain = written(twelve, replays=False)
    assert f"<h1>{twelve.name}</h1>" in plain
    assert "subtitle" not in plain.partition("<body")[2]
    assert "organised by" not in plain
    heading = Heading("Spring <b>Cup</b>\x1b[2J\udcff", "the\nfinals", "7 May 2026", "Card & Club")
    with Journal(twelve) as journal:
        page = write_report(journal, heading, replays=False).report.read_text()
    assert "<h1>Spring &lt;b&gt;Cup&lt;/b&gt;[2J</h1>" in page
    assert "<title>Spring &lt;b&gt;Cup" in page
    assert '<p class="subtitle">the finals</p>' in page
    assert "<span>7 May 2026</span>" in page
    assert "<span>organised by Card &amp; Club</span>" in page


@pytest.mark.thorough  # 2 s of processor.
def test_bands_are_parted_where_the_intervals_are(tmp_path: Path) -> None:
    run = swiss(tmp_path / "run", bots=8, rounds=6, luck=5)
    with Journal(run) as journal:
        report = report_data(journal)
    rows = re.findall(r'<tr class="(.*?)">', written(run, replays=False).partition("<tbody>")[2])
    assert report.bands
    assert [at for at, row in enumerate(rows) if row == "apart"] == list(report.bands)
    for at in report.bands:
        above, below = report.ranked[:at], report.ranked[at:]
        assert min(row.low or 0 for row in above) > max(row.high or 0 for row in below)


def test_the_axis_fits_the_ranked_and_holds_their_intervals(twelve: Path) -> None:
    with Journal(twelve) as journal:
        report = report_data(journal)
    gains = [row.gain or 0 for row in report.ranked]
    assert report.gains.low < min(gains)
    assert max(gains) < report.gains.high
    assert report.gains.high - report.gains.low < 1.2 * (max(gains) - min(gains))


def test_every_match_has_its_replay(twelve: Path) -> None:
    page = written(twelve)
    links = set(re.findall(r'href="replays/(r\d\d-p\d\d\d-s\d\d\.html)', page))
    assert links == {path.name for path in (twelve / "replays").iterdir()}
    assert len(links) == 24
    assert not list(twelve.rglob("*.new"))


def test_a_replay_is_written_again_only_where_it_is_not_what_its_log_gives(twelve: Path) -> None:
    written(twelve)

    def writing(path: Path) -> tuple[int, int]:
        """A file that is written anew may get the number of the one before it, but not its time."""
        return path.stat().st_ino, path.stat().st_mtime_ns

    pages = {path: (path.read_bytes(), writing(path)) for path in (twelve / "replays").iterdir()}
    changed, missing, linked, *_ = sorted(pages)
    changed.write_bytes(pages[changed][0].replace(b"</title>", b"!</title>"))
    missing.unlink()
    linked.rename(twelve / "elsewhere")
    linked.symlink_to(twelve / "elsewhere")
    with Journal(twelve) as journal:
        assert "expected a file, got a symbolic link" in write_report(journal).complaint
    linked.unlink()
    written(twelve)
    for path, (content, before) in pages.items():
        assert path.read_bytes() == content
        assert (writing(path) == before) == (path not in (changed, missing, linked))
    (twelve / "elsewhere").unlink()


def test_a_replay_leads_to_the_next_also_when_that_comes_later(tmp_path: Path) -> None:
    run = chance_run(tmp_path / "run", Size(8, 2))
    written(run)
    before = {path: path.stat().st_ino for path in sorted((run / "replays").iterdir())}
    with Journal(run, write=True) as journal:
        record = Record(journal.entries)
        play(journal, record, record.due())
    written(run)
    assert [path for path in before if path.stat().st_ino != before[path]] == [list(before)[-1]]
    pages = sorted((run / "replays").iterdir())
    assert len(pages) == len(before) + 4
    nexts = [set(re.findall('<a (?:class="next" )?href="(r[^"]*)">', path.read_text())) for path in pages]
    assert nexts == [*({path.name} for path in pages[1:]), set()]


def test_text_of_strangers_stays_text(twelve: Path) -> None:
    page = written(twelve, with_stderr=True)
    assert page.count("<script") == page.count("</script") == 3  # two of them are data
    assert "<script>alert" not in page
    assert "\x1b" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    for replay in (twelve / "replays").iterdir():
        assert replay.read_text().count("<script") == 2


def test_it_asks_nobody_for_anything(twelve: Path) -> None:
    written(twelve)
    for path in (twelve / "report.html", *(twelve / "replays").iterdir()):
        page = html.unescape(path.read_text())
        assert "default-src 'none'" in page
        assert re.findall(r'(?:src|href)="(?!#|data:|(replays/)?r\d\d-p|\.\./report\.html)[^"]*"', page) == []
        assert re.findall(r"url\(|@import|https?://(?!www\.w3\.org/2000/svg)", page) == []


def test_standard_error_is_told_only_if_asked_for(twelve: Path) -> None:
    assert "<dt>to standard error</dt>" not in written(twelve, replays=False)
    assert "<dt>to standard error</dt>" in written(twelve, with_stderr=True, replays=False)


def test_what_gives_cards_away_waits_until_it_does_not_matter(twelve: Path, tmp_path: Path) -> None:
    entries = entries_of(twelve)
    # After the first fault whose pod has matches to play.
    until = next(at for at, e in enumerate(entries) if isinstance(e, MatchPlayed) and e.forfeits) + 1
    run = copied(twelve, tmp_path / "run", until)
    page = written(run)
    assert 'http-equiv="refresh"' in page
    assert "secret until the last match" in page
    assert SENT not in page
    assert "replays/" not in page.partition("<body")[2]
    assert list((run / "replays").iterdir()) == []
    whole = written(twelve, replays=False)
    assert 'http-equiv="refresh"' not in whole
    assert "secret until" not in whole
    assert SENT in whole


def test_a_report_can_be_written_before_anything_was_played(twelve: Path, tmp_path: Path) -> None:
    for entries in (1, 2):
        page = written(copied(twelve, tmp_path / str(entries), entries))
        assert "0 matches" in page


def no_log(log: Path) -> None:
    log.unlink()


def a_seat_too_many(log: Path) -> None:
    log.write_text(log.read_text().replace('"seat":1', '"seat":7', 1))


def no_handshakes(log: Path) -> None:
    lines = log.read_text().splitlines(keepends=True)
    log.write_text("".join(line for line in lines if not line.startswith('{"type":"ready"')))


def cut_in_the_middle(log: Path) -> None:
    log.write_bytes(log.read_bytes()[: log.stat().st_size // 2])


DAMAGED = "r01-p001-s02"


@pytest.mark.parametrize("replays", [True, pytest.param(False, marks=pytest.mark.thorough)])  # A part of it.
@pytest.mark.parametrize(
    "damage",
    [
        a_seat_too_many,
        cut_in_the_middle,
        *(pytest.param(damage, marks=pytest.mark.thorough) for damage in (no_log, no_handshakes)),
    ],
)
def test_a_damaged_log_is_named_and_all_else_is_shown(
    twelve: Path, tmp_path: Path, damage: Callable[[Path], None], replays: bool
) -> None:
    run = copied(twelve, tmp_path / "run", len(entries_of(twelve)))
    with Journal(run) as journal:
        whole = report_data(journal)
        damage(log := journal.log_path(DAMAGED))
        told = write_report(journal, replays=replays)
        found = report_data(journal)
    assert told.complaint.startswith(f"{log}: ")
    assert told.complaint.endswith(
        f"; {run / 'report.html'} is written without it (arena verify {run} shows more)"
    )
    page = (run / "report.html").read_text()
    assert f"the log of {DAMAGED} is missing or damaged" in page
    assert (found.standings, found.matches) == (whole.standings, whole.matches)
    fewer = {one.name: one.decisions for one in whole.times}
    seated = {seat.name for match in whole.matches if match.match_id == DAMAGED for seat in match.seats}
    assert {one.name for one in found.times if one.decisions < fewer[one.name]} == seated
    pages = {path.stem for path in (run / "replays").glob("*")}
    assert pages == ({match.match_id for match in whole.matches} - {DAMAGED} if replays else set())
    assert told.replays == len(pages)
    # Whoever goes from match to match passes it by.
    before = [(run / "replays" / f"r01-p001-s0{number}.html").read_text() for number in (1,) * replays]
    assert all('href="r01-p001-s03.html"' in page and DAMAGED not in page for page in before)


def test_a_replay_that_cannot_be_written_costs_no_other(twelve: Path, tmp_path: Path) -> None:
    """A link could lead whoever publishes the folder to a file that is nobody's business."""
    run = copied(twelve, tmp_path / "run", len(entries_of(twelve)))
    planted = run / "replays" / f"{DAMAGED}.html"
    planted.parent.mkdir()
    planted.symlink_to("/etc/passwd")
    with Journal(run) as journal:
        told = write_report(journal)
        assert told.complaint == (
            f"{planted}: expected a file, got a symbolic link; remove it; "
            f"{run / 'report.html'} is written without it"
        )
        assert told.replays == len(report_data(journal).matches) - 1 == len(linked(run))
        assert f"{DAMAGED}.html" not in linked(run)
        assert planted.is_symlink()
        planted.unlink()
        assert write_report(journal).complaint == ""
    assert planted.is_file()
    assert f"{DAMAGED}.html" in linked(run)


def test_what_is_in_the_way_of_live_json_is_named(twelve: Path, tmp_path: Path) -> None:
    run = copied(twelve, tmp_path / "run", len(entries_of(twelve)))
    (run / LIVE).mkdir()
    with Journal(run) as journal:
        told = write_report(journal)
    why = "a folder is there, which a file cannot replace; move it away"
    assert told.complaint == f"{run / LIVE}: {why}; {run / 'report.html'} is written without it"
    assert told.replays == len(linked(run)) > 0


def test_without_a_folder_for_replays_there_is_a_report(twelve: Path, tmp_path: Path) -> None:
    run = copied(twelve, tmp_path / "run", len(entries_of(twelve)))
    (run / "replays").symlink_to(tmp_path)
    with Journal(run) as journal:
        told = write_report(journal)
    assert told.complaint.startswith(f"{run / 'replays'}: expected a folder, got a symbolic link")
    assert (told.replays, linked(run)) == (0, set())
    assert list(tmp_path.glob("*.html")) == []


def linked(run: Path) -> set[str]:
    """The replays to which a report leads."""
    return set(re.findall(r'href="replays/(r[^"#]*)', (run / "report.html").read_text()))


def test_the_log_of_another_match_is_no_log_of_this_one(twelve: Path, tmp_path: Path) -> None:
    """It might hold the hands of a pod that is still being played."""
    entries = entries_of(twelve)
    played = [at for at, entry in enumerate(entries) if isinstance(entry, MatchPlayed)]
    run = copied(twelve, tmp_path / "run", played[-1])  # One match of the last pod is missing.
    with Journal(run) as journal:
        record = Record(journal.entries)
        shown = over(record)[0]
        still_played = min(record.played.keys() - set(over(record)))
        foreign = journal.read_log(still_played)
        journal.log_path(shown).write_text(foreign)
        told = write_report(journal)
        with pytest.raises(DamageError, match="not the log that was written"):
            write_one_replay(journal, shown)
        journal.log_path(shown).write_text(foreign.replace(still_played, shown))
        assert write_report(journal).complaint == told.complaint
    assert f"{journal.log_path(shown)}: this is not the log that was written; " in told.complaint
    assert f"{shown}.html" not in {path.name for path in (run / "replays").iterdir()}


def test_of_many_that_are_missing_some_are_named(twelve: Path, tmp_path: Path) -> None:
    run = copied(twelve, tmp_path / "run", len(entries_of(twelve)))
    logs = sorted((run / "matches").iterdir())
    for log in logs:
        log.unlink()
    with Journal(run) as journal:
        told = write_report(journal)
    assert [log.name in told.complaint for log in logs] == [True] * 3 + [False] * (len(logs) - 3)
    assert f"; {len(logs) - 3} more logs are missing or damaged; " in told.complaint
    page = (run / "report.html").read_text()
    named = ", ".join(log.stem for log in logs[:4])
    assert f"the logs of {named} and {len(logs) - 4} more are missing or damaged" in page


def test_same_entries_same_bytes(twelve: Path) -> None:
    assert written(twelve, replays=False) == written(twelve, replays=False)


def test_data_is_plain(twelve: Path) -> None:
    """Whatever a template may reach can be written down."""
    with Journal(twelve) as journal:
        assert msgspec.json.encode(report_data(journal))


def test_the_cross_table_holds_who_really_met(twelve: Path) -> None:
    with Journal(twelve) as journal:
        report = report_data(journal)
    together = {
        frozenset(pair)
        for pods in report.drawings
        for pod in pods
        for pair in itertools.combinations(pod.explained.scores, 2)
    }
    assert {frozenset((one, other)) for one, row in report.met.items() for other in row} == together
    for one, row in report.met.items():
        for other, found in row.items():
            assert (found.one, found.other) == (one, other)
            assert report.met[other][one].turned == found
    page = written(twelve, replays=False)
    cells = page.partition('<section id="met">')[2].partition("</section>")[0]
    assert cells.count("<small>") == 2 * len(together)
    assert cells.count('<td class="self"></td>') == 12
    assert cells.count("<td></td>") == 1 + 12 * 11 - 2 * len(together)


@pytest.mark.thorough  # 1 s of processor.
def test_the_matrix_says_how_many_never_met(tmp_path: Path) -> None:
    run = swiss(tmp_path / "run", bots=12, rounds=3)
    with Journal(run) as journal:
        report = report_data(journal)
    met = sum(map(len, report.met.values())) // 2
    assert 0 < report.never_met == 12 * 11 // 2 - met
    assert f"never met: {report.never_met} of these 66 pairs" in written(run, replays=False)


@pytest.mark.thorough  # 2 s of processor.
def test_each_table_explains_only_the_shades_it_has(tmp_path: Path) -> None:
    equal = written(swiss(tmp_path / "equal", bots=12, rounds=3), replays=False)
    clear = written(swiss(tmp_path / "clear", bots=8, rounds=6, luck=5), replays=False)
    for page, shaded in ((equal, False), (clear, True)):
        matrix, met = (
            page.partition(f'<section id="{part}">')[2].partition("</section>")[0]
            for part in ("superiority", "met")
        )
        cells = re.findall(r'<td class="pair \w+ (\w+)"', matrix)
        assert cells
        assert any(shade != "open" for shade in cells) == shaded
        assert ("The stronger the shade" in matrix) == shaded
        assert ("Each of these differences may be chance" in matrix) == (not shaded)
        assert ("No two bots have met three times" in met) == ("no interval" in met and "…" not in met)


def test_fair_seats_are_claimed_of_whole_tables(twelve: Path, tmp_path: Path) -> None:
    claim = "each bot sits in every seat equally often"
    assert f"{claim}; <a" in written(twelve, replays=False)
    part = copied(twelve, tmp_path / "run", len(entries_of(twelve)) - 1)
    assert f"{claim}, except in one pod that lacks matches; <a" in written(part, replays=False)


def test_a_match_is_called_by_words_and_its_winner_is_marked(twelve: Path) -> None:
    page = written(twelve)
    assert '<a href="replays/r01-p002-s03.html">Round 1, pod 2, match 3 ▶</a>' in page
    with Journal(twelve) as journal:
        matches = report_data(journal).matches
    assert page.count('"seated first"') == sum(seat.placing == 1 for one in matches for seat in one.seats)


def test_a_link_to_the_page_shows_who_is_ahead(twelve: Path) -> None:
    """Messengers and boards show title and description of what is linked."""
    with Journal(twelve) as journal:
        data = report_data(journal)
        page = write_report(journal, Heading(title='Spring "Cup" <b>'), replays=False).report.read_text()
    head = page.partition("</head>")[0]
    told = dict(re.findall(r'<meta property="og:([a-z]+)" content="([^"]*)">', head))
    assert html.unescape(told["title"]) == f'Spring "Cup" <b> · {data.game}'
    assert html.unescape(told["description"]) == data.ahead


def test_a_fault_comes_with_its_cure_and_the_first_screen_leads_to_it(twelve: Path) -> None:
    page = written(twelve, replays=False)
    first_screen = page.partition('id="standings"')[0]
    assert '<a class="bad" href="#faults">faults of 2 bots</a>' in first_screen
    with Journal(twelve) as journal:
        faults = report_data(journal).faults
    section = page.partition('<section id="faults">')[2].partition("</section>")[0]
    assert all(fault.cure for fault in faults)
    assert section.count('<p class="cure">') == len(faults)
    assert "`" not in re.sub(r"<pre>.*?</pre>", "", section, flags=re.DOTALL)


def test_the_rules_are_on_the_page(twelve: Path) -> None:
    page = written(twelve, replays=False)
    assert page.count('href="#rules"') == 2
    assert "lead" in page.partition('<section id="rules">')[2].partition("</section>")[0]


@pytest.mark.thorough  # 1 s of processor.
def test_progress_counts_no_rounds_that_a_deadline_decides(tmp_path: Path) -> None:
    run = swiss(tmp_path / "run", bots=8, rounds=4, played=3)
    assert ">round 3 of 4</span>" in written(run, replays=False)
    with Journal(run, write=True) as journal:
        journal.add(Deadline(2_000_000_000, 1000))
    assert ">round 3</span>" in written(run, replays=False)


def test_the_drawing_of_progress_begins_where_ranks_do(tmp_path: Path) -> None:
    run = swiss(tmp_path / "run", bots=8, rounds=4, played=3)
    with Journal(run) as journal:
        report = report_data(journal)
    assert report.unranked_rounds == 1
    drawn = written(run, replays=False).partition('<svg class="rises"')[2].partition("</g>")[0]
    assert re.findall(r'text-anchor="middle">(\d+)<', drawn) == ["2", "3"]


def test_a_name_stands_at_the_end_of_its_line_while_a_round_is_played(tmp_path: Path) -> None:
    """The standings have moved on since the last round that is drawn."""
    whole = swiss(tmp_path / "whole", bots=8, rounds=4, played=4)
    entries = entries_of(whole)
    run = copied(whole, tmp_path / "run", len(entries) - 4)
    with Journal(run) as journal:
        report = report_data(journal)
    order = [rise.name for rise in report.rises]
    assert order != [row.name for row in report.standings.entrants], "or this shows nothing"
    drawn = written(run, replays=False).partition('<svg class="rises')[2].partition("<details>")[0]
    lines = drawn.split('<g class="rise ')[1:]
    assert len(lines) == 8
    for line in lines:
        points = re.search(r'points="([^"]*)"', line)
        name = re.search(r'y="(\d+)" width="34%"', line)
        assert points
        assert name
        assert float(points[1].split()[-1].partition(",")[2]) == int(name[1]) + 12


def test_where_one_round_has_ranks_nothing_is_drawn_and_the_reason_is_told(tmp_path: Path) -> None:
    page = written(swiss(tmp_path / "run", bots=8, rounds=4, played=2), replays=False)
    assert '<svg class="rises"' not in page
    assert "Round 1 has no ranks:" in page


@pytest.mark.parametrize(
    ("chances", "told"),
    [
        (
            (0.02, 0.5, 0.9),
            "No seat has a significant gain: with 3 seats it would need p below 0.017.",
        ),
        ((0.01, 0.5, 0.001), "Chance does not explain the gain of seat 0 and seat 2."),
        ((0.01, None, 0.5), "There are too few matches to say whether a seat is better than others."),
    ],
)
def test_seats_are_as_fair_as_chance_allows(
    twelve: Path, chances: tuple[float | None, ...], told: str
) -> None:
    with Journal(twelve) as journal:
        report = report_data(journal)
    seat = report.figures.seats[0]
    seats = tuple(msgspec.structs.replace(seat, seat=at, p=p) for at, p in enumerate(chances))
    figures = msgspec.structs.replace(report.figures, seats=seats)
    assert msgspec.structs.replace(report, figures=figures).seats_are_fair == told
