"""Finding what should never have been remembered: keys, passwords, card and bank account numbers. Pure.

A finding is a place and a name, never the secret itself. ``masked`` is the text with every finding replaced by its name.

What is looked for
------------------
- private keys and tokens by the shape that their issuer gave them (``ghp_``, ``xoxb-``, ``AKIA``, JSON Web Tokens, ...);
- passwords in URLs and authorization headers;
- passwords, PINs, codes and keys that a sentence tells ("the password is ...", "密码是..."). "The password is required" tells none;
- payment card numbers: 13 to 19 digits of a known issuer whose check digit is right (ISO/IEC 7812, Luhn);
- bank accounts: IBANs of the length their country has and with the right check digits (ISO 13616, mod 97).

A number that is called a card number or an IBAN is one, even if a digit is wrong.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

SECRETS = "secrets"
CARDS = "cards"


@dataclass(frozen=True, slots=True)
class Finding:
    """A secret in a text.

    Attributes:
        group: ``secrets`` or ``cards``.
        name: what it is, such as ``a password``. Of a card or an account the last four characters are told, of others nothing.
        start: offset of its first character.
        end: offset behind its last one.
    """

    group: str
    name: str
    start: int
    end: int


def find(text: str) -> tuple[Finding, ...]:
    """The secrets of a text in order, without overlaps."""
    plain = text if text.isascii() else text.translate(_plain_forms())
    found: list[Finding] = []
    if _shaped().search(plain):
        found += _issued(plain)
    if _names_one(plain):
        found += _told(plain)
    digits = len(_digit().findall(plain))
    if digits >= 2:
        found += _accounts(plain)
    if digits >= 13:
        found += _cards(plain)
    if not found:
        return ()
    found.sort(key=lambda item: (item.start, -item.end))
    kept: list[Finding] = []
    for item in found:
        if not kept or item.start >= kept[-1].end:
            kept.append(item)
        elif item.end > kept[-1].end:  # two overlap: what either covers is a secret
            kept[-1] = Finding(kept[-1].group, kept[-1].name, kept[-1].start, item.end)
    return tuple(kept)


def masked(text: str) -> str:
    """The text with each secret replaced by its name in brackets: ``the password is [a password]``."""
    parts: list[str] = []
    at = 0
    for item in find(text):
        parts += [text[at : item.start], f"[{item.name}]"]
        at = item.end
    return "".join([*parts, text[at:]]) if parts else text


class _Forms(dict[int, int]):
    """For str.translate: full-width characters and the digits of any script as ASCII, one for one, so that offsets stay."""

    def __missing__(self, code: int) -> int:
        form = code
        if 0xFF01 <= code <= 0xFF5E:
            form = code - 0xFEE0
        elif code > 0x7F and unicodedata.category(chr(code)) == "Nd":
            form = 0x30 + unicodedata.decimal(chr(code))
        self[code] = form
        return form


@cache
def _plain_forms() -> _Forms:
    return _Forms()


@cache
def _shaped() -> re.Pattern[str]:
    """What every key has at least; most memories have none of it, and are done with at once."""
    return re.compile(r"[\w.:/-]{20}|://|-----BEGIN|PuTTY-|(?i:bearer|basic)\s")


@cache
def _digit() -> re.Pattern[str]:
    return re.compile(r"[0-9]")


_ROOTS = (
    "pass pwd kennwort losungswort mdp contrase senha wachtwoord haslo sifre losenord adgangskode salasana heslo kata pin cvv cvc "
    "sicherheitscode code combo combination otp key secret token clave schlüssel mnemonic phrase words seed"
).split()
_OTHER_ROOTS = (
    "hasło şifre lösenord jelszó parolă mật парол 密 口令 パスワード 暗 비밀번호 암호 كلمة סיסמה पासवर्ड 码 碼 钥 令牌 シークレット 토큰 código clé "
    "助记词 助記詞"
).split()


def _names_one(text: str) -> bool:
    """Whether one of the words below may stand in the text. Looking for parts of words is many times faster than the pattern."""
    low = text.lower()
    return any(root in low for root in _ROOTS) or (not low.isascii() and any(root in low for root in _OTHER_ROOTS))


# -- shapes ------------------------------------------------------------------------------------------------------------

_ISSUED: tuple[tuple[str, str], ...] = (
    (
        "a private key",
        r"-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----(?:[\s\S]*?-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|[\s\S]*)"
        r"|PuTTY-User-Key-File-\d[\s\S]*|AGE-SECRET-KEY-1[A-Z0-9]{50,}",
    ),
    ("a JSON Web Token", r"eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}"),
    ("an AWS access key", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}"),
    ("a GitHub token", r"gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\w{22,}"),
    ("a GitLab token", r"gl(?:pat|dt|rt|ptt|ft|soat|agent|cbt|imt|oas)-[\w.-]{18,}"),
    (
        "a Slack token",
        r"xox[abceoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,}|xapp-\d-[A-Za-z0-9-]{10,}|hooks\.slack\.com/services/[\w/]{20,}",
    ),
    ("a Stripe key", r"(?:sk|rk)_(?:live|test|prod)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/]{20,}"),
    ("an API key", r"sk-(?:proj-|svcacct-|admin-|ant-|or-v1-|lf-)?[A-Za-z0-9_-]{20,}"),
    ("a Google key", r"AIza[\w-]{35}|GOCSPX-[\w-]{20,}|ya29\.[\w-]{20,}"),
    ("a Telegram bot token", r"\d{8,10}:AA[\w-]{32,34}"),
    ("a Discord token", r"[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,}|discord(?:app)?\.com/api/webhooks/\d+/[\w-]{30,}"),
    ("a Twilio key", r"SK[0-9a-f]{32}"),
    ("a SendGrid key", r"SG\.[\w-]{16,}\.[\w-]{16,}"),
    (
        "an access token",
        r"(?:hf|npm|glsa|glc|gsk|r8|tvly|pplx|nvapi|dckr_pat|dop_v1|doo_v1|dor_v1|shpat|shpss|shpca|shppa|lin_api|figd|sbp|pul|"
        r"pscale_tkn|pscale_pw|sntrys|sntryu|ntn|phx|re|rpa|fw|xai|nfp|tskey-auth|op_ops|ops|dapi|atlasv1|FlyV1|ATATT3|ATBB|ATCTT3|"
        r"PMAK|NRAK|LTAI|AKID|hvs|hvb|pypi)[-_.]?(?=[\w-]*\d)[A-Za-z0-9_-]{20,}",
    ),
)


@cache
def _issued_pattern() -> re.Pattern[str]:
    body = "|".join(f"(?P<k{place}>{shape})" for place, (_, shape) in enumerate(_ISSUED))
    return re.compile(rf"(?<![A-Za-z0-9_/-])(?:{body})(?![A-Za-z0-9])")


@cache
def _url_pattern() -> re.Pattern[str]:
    return re.compile(r"\b[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^\s/:@]{0,100}:(?P<value>[^\s/]{1,200})@(?=[\w\[])")


@cache
def _header_pattern() -> re.Pattern[str]:
    return re.compile(
        r"(?i:\bauthorization[\"']?\s*[:=]\s*[\"']?(?:bearer|basic|token)\s+|\b(?:bearer|basic)\s+)"
        r"(?P<value>(?=[^\s\"']*[0-9])(?=[^\s\"']*[A-Za-z])[A-Za-z0-9._~+/=-]{16,})"
    )


def _issued(text: str) -> Iterator[Finding]:
    for match in _issued_pattern().finditer(text):
        name = _ISSUED[int(str(match.lastgroup)[1:])][0]
        value = match.group()
        if name == "an API key" and not any(map(str.isdigit, value)):
            continue  # sk-some-style-sheet-class-name
        if len(set(value[-16:])) > 4 or name == "a private key":
            yield Finding(SECRETS, name, match.start(), match.end())
    for match in _url_pattern().finditer(text):
        if not _stands_for_one(match["value"]):
            yield Finding(SECRETS, "a password in a URL", *match.span("value"))
    for match in _header_pattern().finditer(text):
        if not _stands_for_one(match["value"]):
            yield Finding(SECRETS, "an authorization header", *match.span("value"))


# -- sentences ---------------------------------------------------------------------------------------------------------

_LOGIN = (
    r"pass(?=[\"']?\s?[:=])|pass ?words?|passwd|pass ?phrases?|pass ?codes?|pwd|passwort|kennwort|losungswort|mot de passe|mdp|contraseña|contrasena|senha|"
    r"palavra-passe|wachtwoord|hasło|haslo|şifre|sifre|lösenord|losenord|adgangskode|passord|salasana|heslo|jelszó|parolă|"
    r"kata sandi|mật khẩu|парол[ьяе]|密码|密碼|口令|パスワード|暗証番号|暗号|비밀번호|암호|كلمة (?:السر|المرور)|סיסמה|पासवर्ड"
)
_PIN = r"pin(?:[ -]?(?:codes?|numbers?|nummer))?|PIN码|cvv2?|cvc2?|card verification (?:code|value)|sicherheitscode"
_CODE = (
    r"(?:security|access|entry|door|gate|alarm|unlock|lock|safe|login|verification|recovery|backup|two-factor|2fa|otp|"
    r"one-time|activation|garage|building|key ?box|lock ?box|voicemail) ?(?:codes?|keys?|combinations?|combo)|otp|验证码|驗證碼|門禁碼|门禁码|"
    r"(?:tür|zugangs|alarm)code|code d'accès|código de (?:acceso|seguridad)"
)
_KEY = (
    r"(?:api|wi-?fi|wlan|wpa2?|network|access|secret|private|encryption|signing|master|license|licence|service|auth|account|shared ?access|deploy|"
    r"webhook|storage|subscription)[ _-]?(?:access[ _-]?)?keys?|api[ _-]?secret|client[ _-]?secret|app[ _-]?secret|consumer[ _-]?secret|"
    r"shared[ _-]?secret|(?:webhook|jwt|signing|session|totp|oauth)[ _-]?secret|secret|(?:(?:access|auth|authentication|bearer|"
    r"refresh|session|api|bot|personal access|deploy|oauth|id)[ _-]?)?tokens?|密钥|密鑰|秘钥|私钥|令牌|シークレットキー|apiキー|토큰|api-schlüssel|"
    r"clé (?:d')?api|clave (?:de )?api|clave (?:secreta|privada)"
)
_SEED = r"(?:seed|recovery|mnemonic|backup|wallet|secret)[ -]?(?:phrase|words|seed)|mnemonic|助记词|助記詞"

_WHOSE = (
    r"(?:[ _]+(?:(?:for|of|to|on|at|in|für|von|vom|zum|de|del|do|da|pour|per|para|di)\b|\()[^.;:=\n\"'“「]{1,48}?\)?"
    r"|(?:[ _-](?:number|nr|no|num|value|hash|string))?)"
)
_LINK = (
    r"[\"'”’`*_]{0,3}\s*(?:(?:\b(?:is|are|was|equals|lautet|lauten|ist|est|es|é|è|era|jest|adalah|være|er|är|on|là|—|был[ао]?)\b|"
    r":|=|->|=>|→|是|为|為|叫|は|が|[은는이가](?=\s)|—|–)"
    r"(?:\s*(?:now|still|currently|set to|changed to|always|also|actually|simply|just|jetzt|nun|aktuell|maintenant|ahora|现在|目前|改成了?|"
    r"设为|:|=)(?=\s|[\"'“「:=]|[^\x00-\x7f]))?|\bto\b|\b(?:(?:was|is|has been|got) )?(?:set|changed|reset|updated|switched) to\b)\s*"
)
_VALUE = r"(?:[\"“`「『«„](?P<{q}>[^\n\"”`」』»“]{{1,128}})[\"”`」』»“]|'(?P<{s}>[^\n']{{1,128}})'(?!\w)|\**(?P<{b}>[^\s\"“”`「」『』«»,;，；。、）]{{3,256}}))"

_DENIALS = (
    "required needed necessary mandatory wrong incorrect invalid valid expired weak strong secure insecure safe unsafe stored saved kept "
    "hidden the a an her his their my your our its not no too very same different unknown known reset changed encrypted rotated "
    "missing empty blank unset none null optional correct private confidential secret shared never always longer shorter short long "
    "old new easy hard simple complex complicated case-sensitive alphanumeric default lost forgotten important there here somewhere "
    "managed protected written in on at for from with to by being set only also now still and or but if when that this what which "
    "available compromised leaked breached disabled enabled locked used unused given sent received due bad good fine ok okay "
    "identical similar unique random randomly case sensitive pending revoked active inactive visible readable dangerous sensitive "
    "redacted removed deleted masked omitted password passwords token key he she they it i we you user erforderlich falsch notwendig "
    "ungültig abgelaufen unbekannt gespeichert vergessen nicht sehr zu kein requis nécessaire incorrecte oublié pas obligatoria necesaria "
    "incorrecta desconocida no muy obligatoire true false string str text float bool object undefined nil yes"
)
_UNITS_AFTER = re.compile(
    r"\s*[-–]?\s*(?:\d+\s*)?(?:characters?|chars?|digits?|letters?|symbols?|words?|days?|weeks?|months?|years?|hours?|minutes?|times?|bits?|"
    r"bytes?|tokens?|zeichen|stellen|caractères|caracteres|位|个字符|字符|天)(?![a-z])",
    re.IGNORECASE,
)


@cache
def _denials() -> frozenset[str]:
    return frozenset(_DENIALS.split())


@cache
def _told_pattern() -> re.Pattern[str]:
    nouns = f"(?P<password>{_LOGIN})|(?P<pin>{_PIN})|(?P<code>{_CODE})|(?P<key>{_KEY})"
    value = _VALUE.format(q="quoted", s="single", b="bare")
    return re.compile(rf"(?<![A-Za-zÀ-ÿ])(?:{nouns})(?![A-Za-zÀ-ÿ])(?:{_WHOSE}(?P<link>{_LINK})|\s+){value}", re.IGNORECASE)


@cache
def _reversed_pattern() -> re.Pattern[str]:
    nouns = f"(?P<password>{_LOGIN})|(?P<pin>{_PIN})|(?P<code>{_CODE})|(?P<key>{_KEY})"
    value = _VALUE.format(q="quoted", s="single", b="bare")
    return re.compile(
        rf"(?<!\S){value}\s+(?:as|is|was|für|als|comme|como)\s+(?:the|his|her|their|my|your|our|its|a|an|user's|das|sein|ihr)?\s*"
        rf"(?:[\w'’.-]+ ){{0,3}}?(?:{nouns})(?![A-Za-zÀ-ÿ])",
        re.IGNORECASE,
    )


@cache
def _seed_pattern() -> re.Pattern[str]:
    return re.compile(
        rf"(?<![A-Za-z])(?:{_SEED})(?:\s+\w+){{0,4}}?\s*(?:is|are|:|=|是|：)\s*[\"“']?(?P<value>[a-z]+(?:[ ,]+[a-z]+){{11,23}})",
        re.IGNORECASE,
    )


_NAMES = {"password": "a password", "pin": "a PIN", "code": "an access code", "key": "a key or token"}


@cache
def _changes() -> re.Pattern[str]:
    return re.compile(r"(?i)\b(?:chang|set|reset|updat|switch|renew|made|make|rotat)\w*\b[^.\n]{0,24}$")


def _told(text: str) -> Iterator[Finding]:
    for pattern in (_told_pattern(), _reversed_pattern()):
        at = 0
        while (match := pattern.search(text, at)) is not None:
            kind = next(name for name in _NAMES if match[name])
            which = next(name for name in ("quoted", "single", "bare") if match[name])
            value = match[which]
            placeholder = _stands_for_one(value)
            start, end = match.span(which)
            if which == "bare":
                trimmed = value.rstrip(".!?:)]}>'*。！？")
                end -= len(value) - len(trimmed)
                value = trimmed
            linked = pattern is _reversed_pattern() or bool(match["link"])
            if linked and pattern is _told_pattern() and match["link"].strip() == "to":
                linked = _changes().search(text, max(0, match.start() - 40), match.start()) is not None
                if not linked:
                    at = match.end(kind)
                    continue
            if value and not placeholder and _is_secret(kind, value, linked, which != "bare", text[end:], text):
                yield Finding(SECRETS, _NAMES[kind], start, end)
                at = max(end, match.end(kind))
            else:
                at = match.end(kind) if pattern is _told_pattern() else match.start() + 1
    for match in _seed_pattern().finditer(text):
        yield Finding(SECRETS, "a seed phrase", *match.span("value"))


def _is_secret(kind: str, value: str, linked: bool, quoted: bool, after: str, text: str) -> bool:
    """Whether what stands where a secret is told is one."""
    if _stands_for_one(value) or value.casefold() in _denials():
        return False
    digits = sum(map(str.isdigit, value))
    compact = re.sub(r"[\s-]", "", value)
    if digits and _UNITS_AFTER.match(after):
        return False
    if kind in ("pin", "code"):
        if not digits or (kind == "pin" and not (compact.isdigit() and 3 <= len(compact) <= 12)):
            return False
        if (
            kind == "pin"
            and len(compact) == 6
            and re.search(r"(?i)postal|address|zip|area|city|deliver|lives|located|india", text)
        ):
            return False  # an Indian PIN code is a postal code
        return digits >= 3 and not re.fullmatch(r"(?:19|20)\d\d-\d\d-\d\d", value)
    if kind == "key":
        return (
            len(compact) >= (8 if linked else 16)
            and digits >= 1
            and any(map(str.isalpha, value))
            and ((quoted and linked) or not _is_prose(value))
        )
    if quoted:
        return linked and (digits > 0 or " " not in value or len(value.split()) <= 6)
    if _is_strong(value):
        return not re.fullmatch(r"(?:19|20)\d\d(?:-\d\d)?(?:-\d\d)?", value) or linked
    # A plain word is a password only where the sentence has nothing more to say: "the password is swordfish."
    ends = re.match(r"[\s\"')\]]*(?:$|[.!?\n;,]|and\b|und\b)", after) is not None
    inflected = re.search(r"(?:ed|ing|able|ible|ful|less|ant|ent|ly)$", value.casefold()) is not None
    return linked and ends and value.isascii() and value.isalpha() and len(value) >= 4 and not inflected


def _is_prose(value: str) -> bool:
    """Words, dates and versions joined by hyphens, dots or slashes, a URL or a path: not what a key looks like."""
    if re.match(r"(?i)https?:|\.{0,2}/|~/|[\w.-]+\.(?:com|org|net|io|env|json|txt|toml|ya?ml|py)\b", value):
        return True
    pieces = [piece for piece in re.split(r"[-_./:@]+", value) if piece]
    return all(
        piece.isdigit() or (piece.isalpha() and (piece.islower() or piece.isupper() or piece.istitle())) for piece in pieces
    ) and (len(value) < 32)


def _is_strong(value: str) -> bool:
    """Whether it looks like made up for a password: digits and letters, symbols within, capitals within."""
    if re.match(r"(?i)https?:|www\.", value) or len(value) < 4:
        return False
    letters = any(map(str.isalpha, value))
    if any(map(str.isdigit, value)):
        return letters or value.isdigit() or any(ch in "!#$%&*+@^~_?" for ch in value)
    if any(ch in "!#$%^&*+@~=|<>{}[]\\?" for ch in value.strip("'’")):
        return letters
    return re.search(r"[a-z][A-Z]", value) is not None and value.isascii()


def _stands_for_one(value: str) -> bool:
    """A placeholder: ``***``, ``<password>``, ``${TOKEN}``, ``your-key-here``, ``[redacted]``, ``xxxx``."""
    inner = value.strip("\"'`")
    if len(set(inner.casefold())) <= 1 or not any(map(str.isalnum, inner)):
        return True
    return (
        re.search(
            r"^[<\[{(%$].*[>\]})%]$|^\$\w+$|\$\{|\{\{|[*•●·…]{3}|\.\.\.|x{4}|(?i:your[-_ ]|redacted|example|placeholder|changeme|change-me|"
            r"dummy|todo|process\.env|os\.environ|getenv|insert[-_ ]|^pass(?:word|wd)?$|^secret$|^token$|^pwd$)",
            inner,
        )
        is not None
    )


# -- numbers -----------------------------------------------------------------------------------------------------------

_SEPARATOR = "[ \u00a0\u2007\u2009\u202f\u200b\u2060.\\-‐‑–]"
_IBAN_LENGTHS = (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 "
    "FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 "
    "MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 "
    "SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30"
)
"""The lengths in the IBAN registry of ISO 13616."""


@cache
def _digits_pattern() -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.])(?:\d+{_SEPARATOR}?)*\d+(?![\w])")


@cache
def _card_words() -> re.Pattern[str]:
    return re.compile(
        r"(?i)\b(?:credit|debit|payment|bank)[ -]?card|\bcard(?: (?:number|no|nr))?\b|\bvisa\b|master ?card|\bamex\b|american express|"
        r"kreditkarte|carte bancaire|tarjeta|信用卡|银行卡|銀行卡|カード番号|카드"
    )


@cache
def _other_words() -> re.Pattern[str]:
    return re.compile(
        r"(?i)\b(?:order|invoice|tracking|shipment|parcel|isbn|issn|imei|serial|ticket|booking|reservation|case|customer|member|"
        r"phone|tel|mobile|fax|call|account|id|reference|ref|barcode|ean|upc|timestamp|version|commit)\b[^.\n]{0,20}$|(?:订单|快递|电话|手机|编号)[^。\n]{0,8}$"
    )


def _luhn(digits: str) -> bool:
    """The check digit of ISO/IEC 7812-1."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (2 if place % 2 else 1)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def _is_issued(digits: str) -> bool:
    """Whether an issuer gives out numbers of this beginning and length."""
    size, two, four = len(digits), int(digits[:2]), int(digits[:4])
    if digits[0] == "4":
        return size in (13, 16, 19)
    if 51 <= two <= 55 or 2221 <= four <= 2720:
        return size == 16
    if two in (34, 37):
        return size == 15
    if two in (36, 38, 39) or 300 <= int(digits[:3]) <= 305:
        return size in (14, 16, 19)
    if 3528 <= four <= 3589 or four == 6011 or two in (60, 62, 64, 65, 81, 82) or 2200 <= four <= 2204:
        return 16 <= size <= 19
    return (two == 50 or 56 <= two <= 58 or digits[0] == "6") and size in (16, 18, 19)


def _cards(text: str) -> Iterator[Finding]:
    for match in _digits_pattern().finditer(text):
        if sum(map(str.isdigit, match.group())) < 13:
            continue
        groups = [(m.start() + match.start(), m.end() + match.start()) for m in re.finditer(r"\d+", match.group())]
        first = 0
        while first < len(groups):
            last = _card_from(text, groups, first)
            if last is None:
                first += 1
                continue
            start, end = groups[first][0], groups[last][1]
            digits = re.sub(r"\D", "", text[start:end])
            yield Finding(CARDS, f"a card number ending in {digits[-4:]}", start, end)
            first = last + 1


def _card_from(text: str, groups: list[tuple[int, int]], first: int) -> int | None:
    """The last group of digits of a card number that begins with this group; the longest such number counts."""
    before = text[max(0, groups[first][0] - 40) : groups[first][0]]
    called = _card_words().search(before) is not None
    best = None
    digits = ""
    for last in range(first, min(first + 19, len(groups))):
        digits += text[groups[last][0] : groups[last][1]]
        if len(digits) > 19:
            break
        if len(digits) < 13 or len(set(digits)) < 2:
            continue
        grouped = last > first
        if grouped and not called and any(end - start < 2 for start, end in groups[first : last + 1]):
            continue  # single digits in a row are a list
        right = _is_issued(digits) and _luhn(digits)
        if (right and (called or not _other_words().search(before))) or (called and _is_issued(digits)):
            best = last
    return best


@cache
def _iban_lengths() -> dict[str, int]:
    return {each[:2]: int(each[2:]) for each in _IBAN_LENGTHS.split()}


@cache
def _iban_pattern() -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z0-9])[A-Za-z]{{2}}\d{{2}}(?:{_SEPARATOR}?[A-Za-z0-9]){{4,31}}")


def _accounts(text: str) -> Iterator[Finding]:
    at = 0
    while (match := _iban_pattern().search(text, at)) is not None:
        at = match.start() + 1
        called = re.search(r"(?i)\biban\b[^.\n]{0,20}$", text[max(0, match.start() - 26) : match.start()]) is not None
        length = _iban_lengths().get(match.group()[:2].upper())
        end = match.end() if length is None else _nth_end(text, match.start(), match.end(), length)
        value = re.sub(r"[^A-Za-z0-9]", "", text[match.start() : end])
        right = length == len(value) and not text[end : end + 1].isalnum() and _mod97(value)
        if not right and not called:
            continue
        stop = end if right else match.end()
        tail = re.sub(r"[^A-Za-z0-9]", "", text[match.start() : stop])[-4:]
        name = f"an IBAN ending in {tail}" if right else "an IBAN"
        yield Finding(CARDS, name, match.start(), stop)
        at = stop


def _nth_end(text: str, start: int, stop: int, count: int) -> int:
    """Where the count-th letter or digit ends; ``stop`` where there are not so many."""
    for place in range(start, stop):
        count -= text[place].isalnum()
        if not count:
            return place + 1
    return stop


def _mod97(value: str) -> bool:
    """The check of ISO 13616: the country and check digits behind the rest, letters as 10 to 35, leave 1 when divided by 97."""
    moved = (value[4:] + value[:4]).upper()
    return int("".join(str(int(ch, 36)) for ch in moved)) % 97 == 1
