"""What a request such as ``her phone number`` or ``Ann Lee`` means, and how well a piece of a text fits it. Pure.

A request is read as: whose (the user's, a named person's, a relative's), which attribute of a known kind (telephone, address,
...), which names, and which other words. A piece of text fits in so far as it says that, and not at all where it is about
somebody else: Ann Lee is neither Anna Lee nor Ann Li nor Ann Lee-Meyer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from memopt.errors import UsageError
from memopt.facts import lexicon
from memopt.facts.attributes import Kind, Telling, find_kind, is_told_as_value, may_tell, not_of, telling
from memopt.facts.reading import read
from memopt.facts.words import CJK, bare, stem, tokens

SOMEBODY_ELSE = 0.4
"""The most that a piece about another person than the one asked for can reach."""


_ASKING = re.compile(
    r"^\s*(?:please\s+)?(?:forget|delete|remove|erase|drop)?\s*(?:about\s+)?"
    r"(?:(?:everything|anything|all|whatever|any|every|the)?\s*(?:memor(?:y|ies)|facts?|information|info|details?|things?|notes?|stuff|data)?\s*"
    r"(?:(?:you|we) (?:know|store|have)\s+)?(?:about|on|regarding|concerning|that (?:mentions?|says?|concerns?)|of(?= ))\s+)?(?:the fact that\s+)?",
    re.IGNORECASE,
)
_ZH_ASKING = re.compile(
    r"^(?:请)?(?:忘记|忘掉|删除|删掉|清除)?(?:所有|一切|全部)?(?:关于|有关|涉及)?|(?:的)?(?:一切|所有|全部|任何)?(?:的)?(?:事情?|信息|内容|记忆|资料|情况)?(?:吧)?$"
)
_PRONOUN_OWNER = re.compile(
    r"^(?:the user(?:'s)?|user(?:'s)?|her|his|their|my|our|your|she|he|they|i)\b\s*|^(?:用户|她|他|我|其|本人)(?:自己)?的?",
    re.IGNORECASE,
)
_NOT_ASKED = frozenset(
    lexicon.words(
        "everything anything all something nothing whatever data information info memory memories fact facts thing things detail details me myself her him them it us you stuff"
    )
)


@dataclass(frozen=True, slots=True)
class Fit:
    """How well a piece of text fits a request.

    Attributes:
        score: 0 to 1.
        why: what was found, for people.
    """

    score: float
    why: str


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be forgotten, as far as the words of the request tell.

    Attributes:
        text: as it was written.
        of_user: whether it is said to be the user's own.
        owner: names and words for whose it is, where that is not the user: tuples of folded words, all of which must be there.
        kind: the attribute that is asked for.
        names: further names that must be there.
        words: stems of what else is asked for, each with the stems that may stand for it.
        literal: further texts that must be there as they are: numbers, addresses of the net.
        body: the request without whose it is and what kind of thing.
    """

    text: str
    of_user: bool
    owner: tuple[tuple[str, ...], ...]
    kind: Kind | None
    names: tuple[tuple[str, ...], ...]
    words: tuple[tuple[str, frozenset[str]], ...]
    literal: tuple[str, ...]
    body: str = ""

    @classmethod
    def read(cls, text: str) -> Request:
        """Raises UsageError for a text that names nothing in particular, such as ``everything about her``."""
        return _request(text)

    def knowing(self, names: frozenset[str]) -> Request:
        """The request with words that the memories know as a name (``ann lee``) taken for one."""
        if self.names or self.owner or self.kind is not None or not self.words or self.body != self.body.lower():
            return self
        plain = " ".join(bare(token.text) for token in tokens(self.body) if token.kind == "word")
        return replace(self, names=(tuple(plain.split()),), words=(), of_user=False) if plain in names else self

    def fit(self, piece: str, context: str, users: frozenset[str], *, strict: bool = True) -> Fit:
        """How well a piece of text fits.

        Args:
            piece: a clause or an item of a list.
            context: what it needs to be understood: the subject, the verb before a list, the sentence before. May be empty.
            users: folded names that mean the user.
            strict: whether a piece about somebody else is refused; without it nobody is told apart by who owns what.
        """
        return _fit(self, piece, context, users, strict)

    def clash(self, piece: str, context: str, users: frozenset[str]) -> str | None:
        """Why a piece is about somebody else than the request, or None."""
        return _owner_clash(self, piece, context, users)

    def may_fit(self, text: str) -> bool:
        """A quick look at a whole text: False only where no piece of it can fit."""
        if self.kind is not None and not may_tell(self.kind, text):
            return False
        if not text.isascii():
            return True
        low = text.casefold()
        if any(name[0] not in low and name[-1] not in low for name in (*self.names, *self.owner)):
            return False
        return self.kind is not None or not self.words or _hints(self.words).search(low) is not None


def _request(text: str) -> Request:
    asked = " ".join(text.replace("’", "'").split())
    body = _ASKING.sub("", asked, count=1) if asked.isascii() or not re.search(f"[{CJK}]", asked) else _ZH_ASKING.sub("", asked)
    body = body.strip(" .?!。？！，,")
    of_user = False
    owner: list[tuple[str, ...]] = []
    kind: Kind | None = None
    # the kind first: "where she lives" begins with no owner
    found = find_kind(body)
    if found is not None:
        kind, start, end = found
        body = f"{body[:start].rstrip()} {body[end:].lstrip()}".strip()
    pronoun = _PRONOUN_OWNER.match(body)
    if pronoun:
        of_user = True
        body = body[pronoun.end() :].strip(" 的")
    body = re.sub(r"^(?:the|a|an)\s+|\s+(?:of|for|by|的)$|(?<=\w)'s?$|的$", "", re.sub(r"^(?:of|for)\s+", "", body)).strip()
    if kind is not None and re.search(r"^the user$|^user$|^用户$|^(?:her|him|them|me)$", body, re.IGNORECASE):
        of_user, body = True, ""
    body = re.sub(r"(?<=\w)'s\b", "", body)
    reading = read(body)
    names = list(_names(body))
    # a relative whose it is: her mother's phone number
    stems = [(token.text, bare(token.text)) for token in tokens(body) if token.kind == "word"]
    covered = {word for name in names for word in name}
    relatives = [plain for _, plain in stems if plain in lexicon.RELATIONS]
    relatives += [who for who in lexicon.CJK_RELATIONS if who in body]
    if kind is not None:
        owner += names
        owner += [(who,) for who in relatives if who not in covered]
        names = []
        covered |= set(relatives)
    literal = tuple(
        item.surface
        for item in reading.items
        if item.kind in ("email", "url", "phone", "handle", "id") or (item.kind == "number" and len(item.surface) >= 3)
    )
    spans = [(item.start, item.end) for item in reading.items if item.surface in literal]
    seen: dict[str, frozenset[str]] = {}
    for word in reading.words:
        surface = bare(body[word.start : word.end])
        if surface in covered or surface in _NOT_ASKED or any(a <= word.start < b for a, b in spans):
            continue
        if any(surface in who or who in surface for who in relatives if kind is not None and re.search(f"[{CJK}]", surface)):
            continue
        if any(surface in "".join(name) for name in (*names, *owner) if re.search(f"[{CJK}]", surface)):
            continue
        seen.setdefault(word.stem, _related(word.stem))
    if owner or (names and not seen and kind is None):
        of_user = False
    request = Request(asked, of_user, tuple(owner), kind, tuple(names), tuple(seen.items()), literal, body)
    if kind is None and not names and not seen and not literal:
        raise UsageError(
            f"about={text!r} names nothing in particular; say what is to be forgotten, such as about='her phone number'"
        )
    return request


@lru_cache(maxsize=65536)
def _related(word: str) -> frozenset[str]:
    """What may stand for a word: the groups of the thesaurus that it is in, and its beginning (divorce, divorced)."""
    heads = set(lexicon.related().get(word, ()))
    heads |= {"^" + head[1:6] for head in heads if len(head) >= 6 and head.isascii()}
    if word.startswith("="):
        heads.add(word)
    elif len(word) >= 5 and word.isascii():
        heads.add("^" + word[:5])
    return frozenset(heads)


def _names(text: str) -> Iterable[tuple[str, ...]]:
    """Names of the request, as folded words. All words with a capital are taken for names, however short the request is."""
    run: list[str] = []
    end = -1
    for token in tokens(text):
        joined = token.start == end + 1 or (not run)
        if token.kind == "word" and token.text[0].isupper() and bare(token.text) not in ("i", "user"):
            if run and not joined:
                yield tuple(run)
                run = []
            run.append(bare(token.text))
            end = token.end
        elif run:
            yield tuple(run)
            run = []
    if run:
        yield tuple(run)
    if re.search(f"[{CJK}]", text):
        # a name alone looks like any word; behind a verb that takes people it is found
        for item in read(f"用户认识{text}。").names:
            if re.search(f"[{CJK}]", item.surface) and item.surface in text:
                yield (item.surface,)


def names_in(text: str) -> Iterable[str]:
    """Folded names that a text may hold: every run of words with a capital, and every part of one."""
    for run in _names(text):
        for start in range(len(run)):
            for end in range(start + 1, len(run) + 1):
                yield " ".join(run[start:end])


_TITLES = frozenset(lexicon.words("dr mr mrs ms prof professor sir madam doctor aunt uncle auntie"))


@lru_cache(maxsize=16384)
def _folded(text: str) -> tuple[tuple[str, int, int, bool], ...]:
    return tuple(
        (bare(t.text).removesuffix("'s"), t.start, t.end, t.text[:1].isupper())
        for t in tokens(text)
        if t.kind in ("word", "number", "hangul")
    )


def has_name(text: str, name: tuple[str, ...]) -> float:
    """1 where the text names exactly this; 0.5 where a longer or a shorter name could be the same one; else 0."""
    if len(name) == 1 and re.search(f"[{CJK}]", name[0]):
        return _has_cjk_name(text, name[0])
    words = _folded(text)
    partial = 0.0
    size = len(name)
    for at in range(len(words) - size + 1):
        if any(words[at + step][0] != name[step] for step in range(size)):
            continue
        if any(text[words[at + step][2] : words[at + step + 1][1]] not in (" ", "\u00a0", "-") for step in range(size - 1)):
            continue
        longer = False
        before = at - 1
        if before >= 0 and text[words[before][2] : words[at][1]] in (" ", "-") and words[before][3]:
            head = before == 0 or text[: words[before][1]].rstrip()[-1:] in ".!?:\n-•*"
            neighbour = words[before][0]
            # a capital at a sentence's head may be any word: "Met Ann Lee", "User Ann Lee"
            longer = neighbour not in _TITLES and neighbour != "user" and not head
        after = at + size
        if after < len(words) and text[words[after - 1][2] : words[after][1]] in (" ", "-") and words[after][3]:
            longer = True
        if text[words[at + size - 1][2] : words[at + size - 1][2] + 1] == "-":
            longer = True
        if not longer:
            return 1.0
        partial = 0.5
    if size > 1 and not partial:
        first = name[0]
        if any(word == first and upper for word, _, _, upper in words) and not any(
            word == first and place + 1 < len(words) and words[place + 1][3] and text[end : words[place + 1][1]] in (" ", "-")
            for place, (word, _, end, _) in enumerate(words)
        ):
            partial = 0.5  # the first name alone
    return partial


def _has_cjk_name(text: str, name: str) -> float:
    if name not in text:
        return 0.0
    items = [item.surface for item in read(text).names if name in item.surface]
    if items and all(item != name for item in items):
        return 0.5
    # 李娜娜 is another name than 李娜
    return 0.5 if all(text[at + len(name) : at + len(name) + 1] == name[-1] for at in _places(text, name)) else 1.0


def _places(text: str, part: str) -> list[int]:
    return [match.start() for match in re.finditer(re.escape(part), text)]


def _fit(request: Request, piece: str, context: str, users: frozenset[str], strict: bool) -> Fit:
    around = f"{context} {piece}" if context else piece
    named, why_not = 1.0, ""
    for name in request.names:
        here = max(has_name(piece, name), has_name(context, name))
        if here < named:
            named, why_not = here, f"not exactly the name {' '.join(name)}"
    if request.names and not named:
        return Fit(0.0, "")
    if any(_squeezed(each) not in _squeezed(around) for each in request.literal):
        return Fit(0.0, "")
    scores: list[tuple[float, str]] = []
    told: Telling | None = None
    if request.kind is not None:
        told = telling(request.kind, piece)
        scores.append((told.score, told.why))
    if request.words:
        scores.append(_fit_words(request.words, piece, around, qualifying=request.kind is not None))
    if request.kind is not None and request.words:
        (main, why), (share, _) = scores
        score = main * (0.5 + 0.5 * share)
    elif scores:
        score, why = scores[0]
    else:
        score, why = 1.0, "the name" if request.names else "the text itself"
    if request.names and scores:
        score = 0.3 + 0.7 * score if score else 0.3
        why = why or "only the name"
    score *= named
    if named < 1 and why_not:
        why = why_not
    if score <= 0:
        return Fit(0.0, "")
    other = _owner_clash(request, piece, context, users) if strict else None
    if other is None and strict and request.kind is not None and told is not None:
        selves = {word for name in request.owner for word in name} if request.owner else users
        other = not_of(request.kind, told, piece, context, selves)
    if other is not None and score > SOMEBODY_ELSE:
        return Fit(SOMEBODY_ELSE, other)
    return Fit(round(min(1.0, score), 2), why)


def _squeezed(text: str) -> str:
    return re.sub(r"[\s().\-/]+", "", text).casefold()


def _fit_words(words: tuple[tuple[str, frozenset[str]], ...], piece: str, around: str, *, qualifying: bool) -> tuple[float, str]:
    def stems(text: str) -> tuple[set[str], set[str]]:
        plain: set[str] = set()
        near: set[str] = set()
        for word in read(text).words:
            plain.add(word.stem)
            near |= _related(word.stem)
        for token in tokens(text):  # words that coverage takes for empty may be just what is asked for
            if token.kind == "word":
                plain.add(stem(token.text))
        return plain, near

    own, own_near = stems(piece)
    all_, all_near = stems(around)
    total = found = own_found = 0.0
    best: list[str] = []
    for each, related in words:
        total += 1.0
        for plain, near, inside in ((own, own_near, True), (all_, all_near, False)):
            hit = 1.0 if each in plain else 0.8 if related & near else 0.0
            if hit:
                found += hit
                own_found += hit if inside else 0.0
                best.append(each.lstrip("="))
                break
    if not own_found and not qualifying:
        return (0.0, "")
    return (found / total if total else 0.0, f"words: {', '.join(best)}")


@lru_cache(maxsize=64)
def _hints(words: tuple[tuple[str, frozenset[str]], ...]) -> re.Pattern[str]:
    """Beginnings of every word that could stand for one of these, irregular forms included."""
    wanted = {each for each, _ in words}
    heads = {head for _, related in words for head in related}
    stems = wanted | {known for known, groups in lexicon.related().items() if heads & set(groups)}
    stems |= {surface for surface, base in lexicon.IRREGULAR.items() if base in stems or stem(base) in stems}
    short = {re.escape(each.lstrip("=^")[:4]) for each in (*stems, *heads) if each.isascii()}
    return re.compile("|".join(sorted(short)) or r"\A")


def _owner_clash(request: Request, piece: str, context: str, users: frozenset[str]) -> str | None:
    """Why the piece is about somebody else than the request, or None."""
    around = f"{context} {piece}" if context else piece
    if request.owner:
        missing = [
            who for who in request.owner if has_name(around, who) < 1 and not (len(who) == 1 and who[0] in around.casefold())
        ]
        if missing:
            return f"not of {' '.join(missing[0])}"
        return None
    if not request.of_user and request.kind is None:
        return None
    if request.names:
        return None
    where = around
    asked = set(lexicon.RELATIONS) & {word for word, _ in request.words} | {
        who for who in lexicon.CJK_RELATIONS if who in request.text
    }
    for relation in () if asked else lexicon.CJK_RELATIONS:
        if f"{relation}的" in where or where.startswith(
            (relation, f"用户的{relation}", f"我的{relation}", f"我{relation}", f"用户{relation}")
        ):
            return f"of somebody else ({relation})"
    owned_by = _ZH_OWNER.match(where)
    if owned_by and owned_by[1] not in users and not owned_by[1].startswith(_ZH_USER) and not asked & {owned_by[1]}:
        return f"of somebody else ({owned_by[1]})"
    low = where.casefold().replace("’", "'")
    relative = re.search(rf"\b({'|'.join(sorted(lexicon.RELATIONS))})(?:'s|s')?\b", low)
    if relative and not asked:
        who = relative.group(1)
        owned = re.search(rf"\b{who}(?:'s|s')\s", low)
        subject = re.match(rf"(?:the )?(?:user's|my|her|his|their|[\w]+'s)?\s*(?:[\w-]+ ){{0,2}}{who}\b", low)
        of = re.search(rf"\b(?:of|for) (?:the |her |his |my |the user's |user's )?(?:[\w-]+ )?{who}\b", low)
        explicit = re.search(
            r"\b(?:user's|my|her own|his own)\s+(?:[\w-]+ ){0,2}(?:phone|e-?mail|address|number|birthday|job|salary)", low
        )
        if (owned or of or subject) and not (explicit and not owned):
            return f"of somebody else ({who})"
    for item in read(where).names:
        folded = item.norm
        if folded in users or folded == "user" or any(folded == name.split()[0] for name in users if name):
            continue
        behind = where[item.end : item.end + 2]
        if item.surface.endswith(("'s", "’s")) or behind in ("'s", "’s") or behind[:1] == "的":
            return f"of somebody else ({item.surface})"
        lead = re.sub(r"[\s\-•*]+", "", where[: item.start])
        if request.kind is not None and not lead and is_told_as_value(request.kind, where[item.end :]):
            continue  # "SECRETWORD is the password"
        if not lead and not item.weak and _acts(where[item.end :]):
            return f"of somebody else ({item.surface})"
        if (
            request.kind is not None
            and request.kind.alone
            and not _said_of_user(request.kind, piece)
            and not re.search(r"\b(?:in|at|from|near)\s$", where[: item.start])
            and not item.weak
        ):
            return f"it may be of {item.surface}"
    return None


_ZH_USER = (
    "用户",
    "我",
    "她",
    "他",
    "本人",
    "自己",
    "新",
    "旧",
    "最",
    "家",
    "公司",
    "工作",
    "私人",
    "个人",
    "现在",
    "目前",
    "常用",
)
_ZH_OWNER = re.compile(r"\s*([\u4e00-\u9fff]{1,6}?)的")


def _acts(rest: str) -> bool:
    """Whether what stands behind a name makes it a subject: a verb, a bracket, a comma, or a colon."""
    return bool(
        re.match(r"\s*(?:[(:,（：，]|(?:is|was|has|had|can|lives?|works?|likes?|uses?|moved|\w+s|\w+ed)\b|[\u4e00-\u9fff])", rest)
    )


def _said_of_user(kind: Kind, piece: str) -> bool:
    return bool(re.search(rf"(?i)(?:\buser's|\bmy|\bher|\bhis|\btheir|用户的?|我的?)\s*(?:[\w-]+ ){{0,2}}(?:{kind.said})", piece))


__all__ = ["SOMEBODY_ELSE", "Fit", "Request", "has_name", "names_in"]
