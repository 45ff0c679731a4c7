"""Sentences of messages."""

import re

ENDED = re.compile(r"[.!?…][\"”’»')]*$")


def ended(text: str) -> str:
    """Return a text with a period, unless it ends with a sign that ends a sentence, also within a quotation."""
    return text if ENDED.search(text) else f"{text}."


def sentence(text: str) -> str:
    """Return a text as a sentence: with a capital letter and a sign at its end."""
    return ended(f"{text[:1].upper()}{text[1:]}")
