"""Reading requests of ``summarize`` as a model would, and answering them: for scripted endpoints."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence

from support.endpoint import Answer, Request, say

COMPLETION_TOKENS = 40
TEXTS = [
    "User lives in Bern.",
    "User is allergic to peanuts.",
    "User has a dog called Rex.",
    "User paid 1,450 euros for a bike.",
    "User plays the cello in an orchestra.",
    "User works as a nurse at Inselspital.",
    "User's sister Maria moved to Lisbon in 2023.",
    "User prefers short answers with bullet points.",
]
"""Memories worth a summary."""


def usage_of(request: Request) -> dict[str, int]:
    """A service's count of tokens: about right, so that no prompt looks cut."""
    prompt = (len(request.system) + len(request.prompt)) // 4
    return {"prompt_tokens": prompt, "completion_tokens": COMPLETION_TOKENS, "total_tokens": prompt + COMPLETION_TOKENS}


def notes_of(prompt: str) -> list[str]:
    """The texts of the notes in a request, in order."""
    body = prompt.partition("=== end of the notes")[0]
    found = re.split(r"(?m)^=== note \d+ \|.*$", body)[1:]
    return ["\n".join(line[2:] for line in text.strip("\n").split("\n")) for text in found]


def wants_json(request: Request) -> bool:
    """Whether the request asks for structured output."""
    return "response_format" in request.body


def tell(request: Request, sentences: Sequence[tuple[str, Sequence[int]]]) -> Answer:
    """Sentences with the numbers of their notes, in the form that was asked for."""
    if wants_json(request):
        content = json.dumps({"facts": [{"text": text, "sources": list(sources)} for text, sources in sentences]})
    else:
        content = " ".join(text for text, _ in sentences)
    return say(content, usage=usage_of(request))


def faithful(request: Request) -> Answer:
    """Every note once, as it is."""
    notes = notes_of(request.prompt)
    return tell(request, [(note, [number]) for number, note in enumerate(notes, 1)])


def but(change: Callable[[list[str]], list[str]]) -> Callable[[Request], Answer]:
    """``faithful`` with its sentences changed."""

    def answer(request: Request) -> Answer:
        notes = notes_of(request.prompt)
        numbers = {note: number for number, note in enumerate(notes, 1)}
        return tell(request, [(text, [numbers[text]] if text in numbers else []) for text in change(notes)])

    return answer


def without(*words: str) -> Callable[[Request], Answer]:
    """``faithful``, but for the notes that hold one of these words."""
    return but(lambda notes: [note for note in notes if not any(word in note for word in words)])


def adding(*sentences: str) -> Callable[[Request], Answer]:
    """``faithful``, and these sentences."""
    return but(lambda notes: [*notes, *sentences])
