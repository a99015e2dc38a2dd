"""The folded form of a text: two memories with equal folded forms say the same thing, written differently.

Folding forgets what a writer may do either way without meaning anything by it: Unicode composition, width variants, case,
white space, invisible characters, and punctuation that only sets off words. It keeps every mark that carries meaning: the
sign in ``-5``, the point in ``1.5``, ``C++`` beside ``C``, ``.NET``, ``node.js``, ``!=``, currency, emoji, emoticons, a
question mark, the comma in ``no, more``. Where a mark might mean something it stays: a duplicate that is not seen costs a few
tokens, a memory that is wrongly taken for one costs a fact.

Accents are part of a word (``é`` is not ``e``), and so is ``ß``: *in Maßen* and *in Massen* are opposites. Superscripts and
fractions are not unfolded, since ``10²`` would become ``102``. Case is kept where it tells things apart: in the path of a
URL, in code, in random-looking keys and
where a password is told, in paths, in a login or the name of a branch,
in ``Gb`` beside ``GB``, in ``US`` beside ``us``, in ``vitamin A``.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

_LOOKS = "<wide> <narrow> <compat> <font> <noBreak> <initial> <medial> <final> <isolated> <vertical> <small> <square>"
_UNFOLDED_KINDS = frozenset(_LOOKS.split())
"""The compatibility mappings (UAX #44, Decomposition_Type) that change only the look of a character."""

_MARKS = {
    **dict.fromkeys("‘’‚‛ʼʹ´｀", "'"),
    **dict.fromkeys("“”„‟«»‹›〝〞「」『』", '"'),
    **dict.fromkeys("‐‑‒–—―−﹘⸺⸻", "-"),
    **dict.fromkeys("。｡।۔", ";"),  # a full stop that is never a decimal point
    **dict.fromkeys("⁇؟՞፧", "?"),
    **dict.fromkeys("™®©\ufe0e\ufe0f", ""),
    **dict.fromkeys("～〜", "~"),
    "٫": ".",
}
_KEPT_PUNCTUATION = frozenset("%&*/\\@#_‰‱§¶†‡⁄٪")
_ASCII_PUNCTUATION = frozenset("!\"'(),-.:;?[]{}`")


class _Forms(dict[int, str]):
    """A table for str.translate, filled as characters turn up: every look of a character to one of them."""

    def __missing__(self, code: int) -> str:
        self[code] = form = _form(chr(code))
        return form


def _form(char: str) -> str:
    if char in _MARKS:
        return _MARKS[char]
    if char.isspace():
        return "\n" if char in "\n\r\v\f\x85\u2028\u2029" else " "
    category = unicodedata.category(char)
    if category in ("Cc", "Cf"):
        return ""
    if category == "Nd":
        return str(unicodedata.decimal(char))
    parts = unicodedata.decomposition(char).split()
    if parts and parts[0] in _UNFOLDED_KINDS:
        plain = "".join(chr(int(part, 16)) for part in parts[1:])
        if not (plain[0] == " " and len(plain) > 1):  # a spacing accent is not a space
            return "".join(_form(item) for item in plain)
    if category[0] == "P" and char not in _KEPT_PUNCTUATION and char not in _ASCII_PUNCTUATION:
        return ","
    return char


_FORMS = _Forms()

CJK = "\u2e80-\u2fdf\u3005-\u3007\u3021-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Scripts written without spaces between words: Han and Kana. Hangul is not among them."""

_NO = (
    "no|not|never|nope|nein|nicht|nie|kein|keine|non|pas|jamais|nunca|não|nada|nej|nee|niet|нет|не|никогда|ні|tidak|bukan"
    "|jangan|hayır|değil|لا|ليس|नहीं|いいえ|아니|아니요|[不没沒无無未别別莫勿否]"
)


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    letter = r"[^\W\d_]"
    return {
        # Alternatives are tried in order: what is kept stands before the run of marks that is dropped.
        "marks": re.compile(
            r"(?P<url>\b(?:https?|ftps?|wss?|file|git|ssh|s3)://[!-~]*[A-Za-z0-9/_=&%#+~-])"
            r"|`(?P<code>[^`\n]+)`"
            r"|(?P<bold>(?<!\w)\*{1,3}(?=[^\s*])(?P<inner>[^*\n]*[^\s*])\*{1,3}(?!\w))"
            r"|(?P<bullet>(?:^|\n) *[-*,] +(?=[^\W\d_\n]))"
            r"|(?P<face>(?<!\d)[:;=][-']?[()\[\]DPp3/\\|](?!\w)(?!//))"
            r"|(?P<nt>(?<=n)'(?=t\b))"
            r"|(?P<run>(?P<same>[!'.:-])(?P=same){2,})"
            r"|(?P<keep>"
            r"(?<=\d)[.,:'-](?=\d)"  # 1.5  1,450  3:45  2025-08-01
            r"|(?<![\w-])-(?= ?[.$€£¥]?\d)"  # -5
            r"|(?<![\w-])-{1,2}(?=[A-Za-z])"  # --force
            rf"|(?<={letter})-(?![\w-])"  # A-
            r"|(?<!\.)\.(?=\w)"  # node.js  .NET
            r"|(?<=\w)::(?=\w)"
            r"|!(?==)|(?<![\w!?.,;])!(?=\w)"
            rf"|(?<={letter})'(?={letter})"
            r"|(?<=\d)['\"](?!\w)"  # 5'  11"
            r")"
            r"|(?P<ask>\?[?!]*)"
            r"|(?P<drop>[(),;\[\]{}`\"]+|[!'.:-])"
        ),
        "after no": re.compile(rf"(?:(?<![^\W_])(?:{_NO})|[不没沒无無未别別莫勿否])\s*$", re.IGNORECASE),
        "more": re.compile(r"[\s\"'(,.;:!-]*\w"),
        "key": re.compile(r"(?<!\w)(?=\w*[a-z])(?=\w*\d)\w*[a-z0-9][A-Z]\w*(?!\w)"),
        "acronym": re.compile(r"(?<![\w.])(?:US|IT|WHO)(?!\w|\.\w)|(?<=[a-z] )A(?!\w|[.']\w)"),
        "unit": re.compile(r"(?<=\d) ?(?:[KMGT]b(?:ps|it|its)?|mW|Mg?)(?!\w)|(?<=\d) ?[KMGT]bit(?!\w)"),
        "secret": re.compile(
            r"(?:pass(?:word|code|phrase|wort)|passwd|\bpin(?: code)?|token|secret|api[ _-]?key|contraseña|senha|mot de passe"
            r"|пароль|密码|密碼|口令)\S{0,16}\s{0,4}(?:[:：=是为為]|\b(?:is|was|ist|lautet|es|est|é)\b)",
            re.IGNORECASE,
        ),
        # on most systems /tmp/A is another file than /tmp/a; C:\\ is not told apart
        "path": re.compile(r"(?<![\w/.~:\\-])(?:~|\.{1,2})?/(?=[\w.@+-])(?:[\w.@+-]+/?)+"),
        "handle": re.compile(
            r"\b(?:log-?in|user-?name|user-?id|ssid|(?:git )?branch|env(?:ironment)? var(?:iable)?"
            r"|variable|constant|command|flag|alias|handle|bucket)"
            r"(?: name)?\s*(?:[:=]|\b(?:is|was)(?: called| named)?\b|是|为)\s*['\"`]?(?P<name>[^\s'\"`]+)",
            re.IGNORECASE,
        ),
        "digit": re.compile(r"\d"),
        "upper": re.compile(r"[A-Z]"),
        "cjk gap": re.compile(rf"(?<=[{CJK}]) +| +(?=[{CJK}])"),
    }


_CASE = "\x02"
"""Stands before a letter whose capital matters. No input can hold it: control characters are dropped first."""
_COMMA = "\x01"
"""Stands for a mark that may not be dropped."""


def _keep_case(text: str) -> str:
    return _patterns()["upper"].sub(lambda found: _CASE + found[0], text)


def _mark(found: re.Match[str]) -> str:
    kind = found.lastgroup
    if kind == "keep" or kind == "face":
        return found[0] if kind == "keep" else f" {found[0]} "
    if kind == "nt" or kind == "bullet":
        return "" if kind == "nt" else " "
    if kind == "url":
        scheme, _, rest = found[0].partition("://")
        host, slash, path = rest.partition("/")
        return f"{scheme}://{host}{slash}{_keep_case(path)}".rstrip("/")
    if kind == "code":
        return _keep_case(found["code"])
    if kind == "bold" or kind == "inner":
        return found["inner"]
    if kind == "ask":
        return " ? "
    run = found[0]
    text, start = found.string, found.start()
    tight_hyphen = run == "-" and text[start - 1 : start].isalnum() and text[found.end() : found.end() + 1].isalnum()
    if (
        not tight_hyphen
        and any(mark in run for mark in ",.;:!-")
        and _patterns()["after no"].search(text[max(0, start - 12) : start])
        and _patterns()["more"].match(text, found.end())
    ):
        return f" {_COMMA} "
    return " "


def fold(text: str) -> str:
    """The folded form (see the module's docstring). Two texts are the same memory when their folded forms are equal.

    Linear in the length of the text. A text of marks alone, which would fold to nothing, folds to its own NFC form, so that
    ``?`` and ``!`` stay two texts. Applying it twice is not meant to be useful: the result is a key, not a text to show.
    """
    plain = unicodedata.normalize("NFC", text).translate(_FORMS)
    if not plain.isascii():
        plain = unicodedata.normalize("NFC", plain)  # a dropped character may have stood between a letter and its accent
    rules = _patterns()
    if rules["secret"].search(plain):
        return " ".join(plain.split())  # every mark and capital of a password counts
    if rules["digit"].search(plain):
        plain = rules["key"].sub(lambda found: _keep_case(found[0]), plain)
        plain = rules["unit"].sub(lambda found: _keep_case(found[0]), plain)
    if "/" in plain:
        plain = rules["path"].sub(lambda found: _keep_case(found[0]), plain)
    plain = rules["handle"].sub(lambda found: found[0][: found.start("name") - found.start()] + _keep_case(found["name"]), plain)
    if not plain.isupper():
        plain = rules["acronym"].sub(lambda found: _keep_case(found[0]), plain)
    plain = " ".join(rules["marks"].sub(_mark, plain).lower().replace("ς", "σ").split()).replace("? ?", "?")
    if not plain.isascii():
        plain = rules["cjk gap"].sub("", plain)
    if plain.strip(" " + _COMMA):
        return plain
    return _COMMA + " ".join(unicodedata.normalize("NFC", text).split())
