"""Where a model is asked and with which key: what people write for it, made safe. Pure: the environment is an argument."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from memopt.errors import ModelError

OPENAI_URL = "https://api.openai.com/v1"
PLACEHOLDER_KEY = "not-needed"
"""What is sent as the key to a server that wants none; the client library insists on one."""

_LOOKS = "it should look like http://localhost:8000/v1"
_RESOURCES = re.compile(r"(?:/(?:chat/completions|completions|responses|models|embeddings|chat))+$", re.IGNORECASE)


class Secret:
    """A text that must not be seen: neither ``repr`` nor ``str`` shows it."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return "[secret]"


@dataclass(frozen=True, slots=True)
class Address:
    """A base URL that was understood.

    Attributes:
        url: without credentials, query and trailing slash; this is also what may be shown.
        query: parameters that go with every request (such as ``api-version``).
        login: user name and password, where the URL held them.
    """

    url: str
    query: Mapping[str, str] = field(default_factory=dict, repr=False)
    login: Secret | None = None

    @property
    def host(self) -> str:
        return (urlsplit(self.url).hostname or "").lower()

    @property
    def is_openai(self) -> bool:
        return self.host == "api.openai.com" or self.host.endswith(".api.openai.com")

    def secrets(self) -> tuple[str, ...]:
        """What must not be shown of this address."""
        login = self.login.reveal() if self.login else ""
        return tuple(part for part in (login, login.partition(":")[2], *self.query.values()) if len(part) >= 4)


def _unquoted(text: str | None) -> str:
    """Without blanks, invisible characters and quotes around it: what shells and .env files leave behind."""
    plain = re.sub("[\u200b-\u200f\u2060\ufeff]", "", text or "").strip()
    if len(plain) >= 2 and plain[0] == plain[-1] and plain[0] in "\"'":
        plain = plain[1:-1].strip()
    return plain


def read_base_url(text: str | None) -> Address | None:
    """Understand a base URL as people write it.

    Blanks, quotes, doubled and trailing slashes and a resource at its end (``/chat/completions``) are taken off. A missing scheme
    becomes http for hosts of this machine and private networks and where a port is given, else https; a missing path becomes
    /v1.

    Returns:
        None where the text is blank.

    Raises:
        ModelError: it is no http(s) URL; the message says what one looks like and shows no credentials.
    """
    plain = _unquoted(text)
    if not plain:
        return None
    plain = re.sub(r"^(https?):/?(?=[^/\d])", r"\1://", plain, flags=re.IGNORECASE)
    if "://" not in plain:
        rest = plain.lstrip("/")
        authority = re.split(r"[/?#]", rest, maxsplit=1)[0].rpartition("@")[2]
        has_port = re.search(r":\d+$", authority) is not None
        host = re.sub(r":\d+$", "", authority).strip("[]")
        plain = f"{'http' if has_port or is_near(host) else 'https'}://{rest}"
    parts, host, port = _split(plain)
    if parts is None:  # raised here, where no exception with the credentials in it is at hand to be chained
        raise ModelError(f"the base URL is not a URL; {_LOOKS}")
    if parts.scheme.lower() not in ("http", "https"):
        raise ModelError(f"the base URL begins with {parts.scheme[:20]}://, not http:// or https://; {_LOOKS}")
    if not host or re.search(r"[\s\x00-\x20\x7f<>\"\\^`{|}]", parts.netloc + parts.path) or port == 0:
        raise ModelError(f"the base URL names no host that can be asked; {_LOOKS}")
    path = re.sub(r"/{2,}", "/", parts.path).rstrip("/")
    path = _RESOURCES.sub("", path).rstrip("/") or "/v1"
    login = parts.netloc.rpartition("@")[0]
    shown_host = f"[{host}]" if ":" in host else host
    return Address(
        url=f"{parts.scheme.lower()}://{shown_host}{f':{port}' if port else ''}{path}",
        query=dict(parse_qsl(parts.query, keep_blank_values=True)),
        login=Secret(unquote(login)) if login else None,
    )


def _split(url: str) -> tuple[SplitResult | None, str, int | None]:
    try:
        parts = urlsplit(url)
        return parts, parts.hostname or "", parts.port
    except ValueError:
        return None, "", None


def read_key(text: str | None, origin: str) -> Secret | None:
    """Understand a key; None where it is blank.

    Raises:
        ModelError: it holds characters that no HTTP header takes. The message names ``origin`` and does not show the key.
    """
    if not (text or "").strip():
        return None
    key = (text or "").strip(" \t")
    if any(not "\x21" <= ch <= "\x7e" for ch in key):
        what = "a line break" if "\n" in key or "\r" in key else "a blank" if " " in key else "characters that are not ASCII"
        raise ModelError(f"{origin} holds {what}, so it cannot be sent as a key; set it again without")
    return Secret(key)


def _ip(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None


def is_loopback(host: str) -> bool:
    """Whether a host name means this machine."""
    name = host.lower().rstrip(".")
    address = _ip(name)
    if address is not None:
        return address.is_loopback or address.is_unspecified
    return name == "localhost" or name.endswith(".localhost")


def is_near(host: str) -> bool:
    """Whether a host name means this machine or its own network, where TLS is rare."""
    address = _ip(host)
    name = host.lower().rstrip(".")
    return is_loopback(host) or (address.is_private if address else name.endswith((".local", ".lan", ".internal")))


def proxy_for(url: str, environ: Mapping[str, str]) -> tuple[str, str] | None:
    """The proxy that the environment asks to use for a URL: the variable's name and its value; None: ask directly.

    HTTP_PROXY, HTTPS_PROXY and ALL_PROXY count in either case, NO_PROXY as curl reads it (and with networks such as
    10.0.0.0/8). This machine is never asked through a proxy, which could not reach it.

    Raises:
        ModelError: the value is no proxy address; the message names the variable.
    """
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    if is_loopback(host):
        return None
    scheme = parts.scheme.lower()
    port = parts.port or (443 if scheme == "https" else 80)
    if any(_bypasses(item, host, port) for name in ("no_proxy", "NO_PROXY") for item in environ.get(name, "").split(",")):
        return None
    for name in (f"{scheme}_proxy", f"{scheme.upper()}_PROXY", "all_proxy", "ALL_PROXY"):
        value = environ.get(name, "").strip()
        if value:
            return name, _checked_proxy(name, value)
    return None


def _checked_proxy(name: str, value: str) -> str:
    full = value if "://" in value else f"http://{value}"
    try:
        parts = urlsplit(full)
        good = parts.scheme.lower() in ("http", "https", "socks5", "socks5h") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not good or re.search(r"\s", full):
        raise ModelError(f"{name} holds no proxy address such as http://proxy.example:3128; correct it or unset it")
    return full


def _bypasses(item: str, host: str, port: int) -> bool:
    entry = item.strip().lower()
    if not entry:
        return False
    if entry == "*":
        return True
    entry = entry.partition("://")[2] or entry
    address = _ip(host)
    if "/" in entry:
        try:
            return address is not None and address in ipaddress.ip_network(entry.strip("[]"), strict=False)
        except ValueError:
            return False
    if entry.startswith("[") or entry.count(":") == 1:
        name, _, wanted = entry.rpartition(":") if not entry.endswith("]") else (entry, "", "")
        if wanted and wanted != str(port):
            return False
        entry = name.strip("[]")
    if address is not None:
        return _ip(entry) == address
    entry = entry.removeprefix("*").strip(".")
    return bool(entry) and (host == entry or host.endswith(f".{entry}"))


def redact(text: str, secrets: Iterable[str]) -> str:
    """A message without the secrets, whole or shortened, and without other things that look like a key.

    For messages only: it would spoil a memory that speaks of ``sk-learn``. Local servers are given words such as ``ollama`` for a
    key; what is shorter than 8 characters is taken for such a word.
    """
    for secret in secrets:
        if len(secret) < 8 or secret == PLACEHOLDER_KEY:
            continue
        text = without_key(text, secret)
        if len(secret) >= 12:
            # services shorten the key they complain about, from either end
            text = re.sub(re.escape(secret[:8]) + r"[^\s\"',;]*", "[key]", text)
            text = re.sub(r"[^\s\"',;]*" + re.escape(secret[-8:]), "[key]", text)
    text = re.sub(r"\b(?:sk|pk|gsk|xai|hf)[-_][A-Za-z0-9_*.-]{4,}", "[key]", text)
    return re.sub(r"\b(Bearer|Basic)\s+[A-Za-z0-9+/=_.~-]{8,}", r"\1 [key]", text, flags=re.IGNORECASE)


def without_key(text: str, key: str) -> str:
    """A text without one key, which is taken for one where it is long enough to be no word."""
    return text.replace(key, "[key]") if len(key) >= 8 else text
