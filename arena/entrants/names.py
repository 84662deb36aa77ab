"""Which texts can be names, which name is derived from any other text, and which texts look alike to people.

A name is a plain word for commands and files, and randomness is drawn from it; a title is what people read
in its place, in any script. Knows texts only, neither bots nor files.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from typing import Final, NamedTuple

from tournaments.results import HOUSE_PREFIX

NAME_LENGTH: Final = 32
NAME: Final = re.compile(rf"[A-Za-z0-9._-]{{1,{NAME_LENGTH}}}")

DIGEST_LENGTH: Final = 8
"""Hex digits of the SHA-256 of the text that a name was derived from."""

_MOODLE: Final = re.compile(r"(.+?)_(\d+)_assignsubmission_\w+")
"""What Moodle calls the folder or the file of a participant: whose it is, and a number, come first."""

_SPELT: Final = str.maketrans(
    {"ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "đ": "d", "Đ": "D"}
    | {"ł": "l", "Ł": "L", "þ": "th", "Þ": "Th", "ð": "d", "Ð": "D", "ı": "i", "ħ": "h", "Ħ": "H"}
)
"""Latin letters that Unicode does not decompose into a plain letter and a mark."""

_ALIKE: Final = {
    "a": "аαɑ⍺ꭺ", "A": "АΑᎪᗅꓮ", "b": "ЬᏏᑲьвƄ", "B": "ВΒᏴᗷꓐ", "c": "сϲςⲥ", "C": "СϹᏟⲤꓚ", "d": "ԁᏧᑯꓒ",
    "D": "Ꭰᗞᗪꓓ", "e": "еҽ℮", "E": "ЕΕᎬꓰ⋿", "f": "ք", "F": "Ϝᖴꓝ", "g": "ց", "G": "ԌᏀᏳꓖ", "h": "һհᏂн",
    "H": "НΗᎻᕼⲎꓧ", "i": "іιᎥ", "I": "ІӀΙⲒꓲ", "j": "јϳ", "J": "ЈͿᎫᒍꓙ", "k": "кκ", "K": "КΚᏦⲔꓗ",
    "l": "ӏ∣וןاƖǀ", "L": "ᏞᒪⳐꓡ", "m": "м", "M": "МΜϺᎷᗰⲘꓟ", "n": "ոռη", "N": "ΝⲚꓠ",
    "o": "оοσօⲟס०๐໐০੦૦௦౦೦൦ഠဝ၀〇○◯", "O": "ОΟՕⲞꓳ", "p": "рρϱⲣ", "P": "РΡᏢᑭⲢꓑ", "q": "ԛգ", "r": "гᴦⲅ",
    "R": "ᎡᏒᖇꓣ", "s": "ѕƽ", "S": "ЅՏᏕᏚꓢ", "t": "тτ", "T": "ТΤᎢⲦꓔ⊤", "u": "υսʋ∪", "U": "Սᑌꓴ", "v": "νѵ∨",
    "V": "ѴᏙᐯꓦ", "w": "ѡԝաω", "W": "ԜᎳᏔꓪ", "x": "хχ×", "X": "ХΧ᙭Ⲭꓫ╳", "y": "уүγɣ", "Y": "УҮΥᎩᎽⲨꓬ",
    "Z": "ΖᏃꓜ", "3": "ЗӠз", "4": "Ꮞ", "6": "бᏮ", "8": "Ȣȣ", "ロ": "口囗", "カ": "力", "ニ": "二",
    "エ": "工", "タ": "夕", "ト": "卜", "ハ": "八", "へ": "ヘ", "ー": "一",
}  # fmt: skip
_AS_SEEN: Final = str.maketrans({other: one for one, others in _ALIKE.items() for other in others})
"""Maps characters of living scripts to one that looks the same in most typefaces."""

_SAME_STROKES: Final = str.maketrans({"0": "o", "1": "l", "i": "l", "|": "l", "m": "rn", "_": "-", "−": "-"})
_LATIN: Final = re.compile(r"(?:LATIN|REGIONAL INDICATOR SYMBOL|NEGATIVE \w+ LATIN)\b.*\bLETTER (?:SMALL )?")
_LETTER: Final = re.compile(r"(?:CAPITAL |DOTLESS |SCRIPT )*([A-Z])(?: WITH .*)?")
_HOUSE: Final = re.compile(r"house(?:-|[ .]*[0-9lo]+$)")


class Submitter(NamedTuple):
    """Who has handed something in on a platform for teaching, and under which number; "" for unknown."""

    by: str = ""
    number: str = ""


def handed_in(parts: Iterable[str]) -> Submitter:
    """What the parts of a path say of who has handed it in."""
    found = [match for part in parts if (match := _MOODLE.match(part))]
    return Submitter(*found[-1].groups()) if found else Submitter()


def plain(text: str) -> str:
    """The part of a name that is nearest to `text`; "" where nothing of it can stand in a name."""
    spelt = unicodedata.normalize("NFKD", text.translate(_SPELT)).encode("ascii", "ignore").decode()
    return re.sub("[^A-Za-z0-9._-]+", "-", spelt)[:NAME_LENGTH].strip("-._")


def name_of(text: str) -> str:
    """The text itself if it can be a name. Otherwise a name that follows from the text alone, whatever other
    names there are: its Latin letters and the beginning of its digest. So two texts have two names, unless
    they are the same in Unicode's form C: the same file name may come in another form from another
    machine."""
    if NAME.fullmatch(text):
        return text
    text = unicodedata.normalize("NFC", text)
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:DIGEST_LENGTH]
    near = plain(text)
    if near.startswith(HOUSE_PREFIX):
        near = f"bot-{near}"
    near = near[: NAME_LENGTH - DIGEST_LENGTH - 1].strip("-._") or "bot"
    return f"{near}-{digest}"


def is_pasteable(text: str) -> bool:
    """Whether a file's name is UTF-8 and shows as what it is: it holds no line breaks, no escapes, and no
    characters that turn the direction of writing."""
    return not any(
        unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")
        or unicodedata.bidirectional(char) in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
        for char in text
    )


def looks(text: str) -> frozenset[str]:
    """Keys of how a text looks: two texts that share a key look alike.

    Case does not count, nor do marks on Latin, Greek, Cyrillic, Hebrew and Arabic letters, forms of the same
    letter that Unicode knows (full-width, mathematical, circled), the Latin letters of phonetic alphabets,
    the letters in _ALIKE, 0 and O, 1, I, i, l and |, m and rn, and one kind of dash or the other. There are
    two keys since a letter may look like one and its capital like another (η, Η). It is no UTS 39: letters of
    dead scripts, most pairs within one script other than Latin, and pictures that resemble each other are
    not found."""
    return frozenset(map(_strokes, (text, text.casefold())))


def is_house_like(text: str) -> bool:
    """Whether a text looks like the name of a house bot."""
    return any(map(_HOUSE.match, looks(text)))


def _strokes(text: str) -> str:
    """The text in one spelling for all texts that look like it."""
    apart = unicodedata.normalize("NFKD", text.translate(_AS_SEEN)).translate(_AS_SEEN)
    plain = "".join(_letter(char) for char in apart if not _is_free_mark(char)).casefold()
    dashed = "".join("-" if unicodedata.category(char) == "Pd" else char for char in plain)
    return " ".join(dashed.translate(_SAME_STROKES).split())


def _letter(char: str) -> str:
    """The plain letter for a Latin one that has a stroke, a tail or a form of its own, by its Unicode name;
    any other character as it is."""
    name = "" if char.isascii() else unicodedata.name(char, "")
    if (latin := _LATIN.match(name)) and (letter := _LETTER.fullmatch(name, latin.end())):
        return letter[1]
    return char


def _is_free_mark(char: str) -> bool:
    """Whether a character is a mark that does not make its letter another one: an accent, a stroke, a vowel
    sign of Hebrew or Arabic. Marks that do (of kana, of Indic and Thai scripts) have other combining
    classes."""
    attached = unicodedata.combining(char)
    return attached == 1 or 10 <= attached <= 36 or attached >= 200
