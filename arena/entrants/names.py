"""What may be a name, which name is made of a text that is none, and which texts look alike to people.

A name is a plain word for commands and files, and randomness is drawn from it; a title is what people read
in its place, in any script. Knows texts only, neither bots nor files.
"""

import hashlib
import re
import unicodedata
from typing import Final

from tournaments.results import HOUSE_PREFIX

NAME_LENGTH: Final = 32
NAME: Final = re.compile(rf"[A-Za-z0-9._-]{{1,{NAME_LENGTH}}}")

DIGEST_LENGTH: Final = 8
"""Hex digits of the SHA-256 of what a name was made of."""

_SPELT: Final = str.maketrans(
    {"ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "đ": "d", "Đ": "D"}
    | {"ł": "l", "Ł": "L", "þ": "th", "Þ": "Th", "ð": "d", "Ð": "D", "ı": "i", "ħ": "h", "Ħ": "H"}
)
"""Latin letters that Unicode does not take apart into a plain one and its mark."""

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
"""Characters of living scripts to one that looks the same in most type faces."""

_SAME_STROKES: Final = str.maketrans({"0": "o", "1": "l", "i": "l", "|": "l", "m": "rn", "_": "-", "−": "-"})
_LATIN: Final = re.compile(r"(?:LATIN|REGIONAL INDICATOR SYMBOL|NEGATIVE \w+ LATIN)\b.*\bLETTER (?:SMALL )?")
_LETTER: Final = re.compile(r"(?:CAPITAL |DOTLESS |SCRIPT )*([A-Z])(?: WITH .*)?")
_HOUSE: Final = re.compile(r"house(?:-|[ .]*[0-9lo]+$)")


def plain(text: str) -> str:
    """The nearest to `text` that can stand in a name; "" if there is nothing near."""
    spelt = unicodedata.normalize("NFKD", text.translate(_SPELT)).encode("ascii", "ignore").decode()
    return re.sub("[^A-Za-z0-9._-]+", "-", spelt)[:NAME_LENGTH].strip("-._")


def name_of(text: str) -> str:
    """The text itself if it can be a name. Otherwise one that is made of it alone, whoever else there is:
    what is left of it in Latin letters, and the beginning of a digest of it, so that two texts have two names
    unless they are the same in Unicode's form C, in which a file may come from another machine."""
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
    """Whether a file's name is UTF-8 and shows as what it is: without line breaks, escapes, or what turns the
    direction of writing."""
    return not any(
        unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")
        or unicodedata.bidirectional(char) in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
        for char in text
    )


def looks(text: str) -> frozenset[str]:
    """Keys of how a text looks: two texts of which one key is the same are taken for each other.

    Case does not count, nor do marks on Latin, Greek, Cyrillic, Hebrew and Arabic letters, forms of the same
    letter that Unicode knows (full-width, mathematical, circled), the Latin letters of phonetic alphabets,
    the letters in _ALIKE, 0 and O, 1, I, i, l and |, m and rn, and one kind of dash or the other. There are
    two keys since a letter may look like one and its capital like another (η, Η). It is no UTS 39: letters of
    dead scripts, most pairs within one script other than Latin, and pictures that resemble each other are
    not found."""
    return frozenset(map(_strokes, (text, text.casefold())))


def is_house_like(text: str) -> bool:
    """Whether it looks like what the house's bots are called."""
    return any(map(_HOUSE.match, looks(text)))


def _strokes(text: str) -> str:
    apart = unicodedata.normalize("NFKD", text.translate(_AS_SEEN)).translate(_AS_SEEN)
    plain = "".join(_letter(char) for char in apart if not _is_free_mark(char)).casefold()
    dashed = "".join("-" if unicodedata.category(char) == "Pd" else char for char in plain)
    return " ".join(dashed.translate(_SAME_STROKES).split())


def _letter(char: str) -> str:
    """A Latin letter with a stroke, a tail or in a form of its own as the plain one, by its Unicode name."""
    name = "" if char.isascii() else unicodedata.name(char, "")
    if (latin := _LATIN.match(name)) and (letter := _LETTER.fullmatch(name, latin.end())):
        return letter[1]
    return char


def _is_free_mark(char: str) -> bool:
    """Whether it stands on a letter without making it another: an accent, a stroke, a vowel of Hebrew or
    Arabic. By their combining classes, in which the marks that belong to a letter (of kana, of Indic and Thai
    scripts) have others."""
    attached = unicodedata.combining(char)
    return attached == 1 or 10 <= attached <= 36 or attached >= 200
