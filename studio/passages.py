"""Give each passage of a text its voice and its rate."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from html import unescape

from engines.errors import BadText, EngineError
from engines.scheduling.manager import Manager
from engines.text import VoicePassage, can_respell, directions_in, passages, rate_of, respelled
from engines.text.markup import ATTRIBUTE, TAG
from engines.types import Setting
from studio.estimates import pace_in, pace_of, paced
from studio.languages import ENGLISH, name_of
from studio.order import Order

PASSAGES_MAX = 100  # of one text
SHOWN = 20  # maximum number of characters of a pronunciation in a warning


class Passages:
    """Finds the voices and rates that a text asks for with [voice:…] and [rate:…], and what an engine can perform of them."""

    def __init__(self, manager: Manager, order_of: Callable[[str, str], Order]) -> None:
        """Create the object. `order_of` returns the order for the name of a voice and of an engine; it raises EngineError."""
        self._manager, self._order_of = manager, order_of

    def of(self, text: str, engine: str, language: str) -> Sequence[VoicePassage]:
        """Return the passages of a text that has several voices or rates; empty for another text. Raises BadText."""
        found = passages(text, rates=self.pace(engine) is not None, language=language or ENGLISH)
        if len(found) > PASSAGES_MAX:
            raise BadText(
                f"this text has {len(found):,} parts with different voices or rates; shorten it to {PASSAGES_MAX} parts"
            )
        return found if any(passage.voice or passage.rate != 1 for passage in found) else ()

    def order(self, order: Order, passage: VoicePassage) -> Order:
        """Return the order for one passage of a text. The voice of the text speaks a passage whose voice is unknown."""
        mine = replace(order, text=passage.text)
        if passage.voice and (named := self._named(passage.voice, order.engine)):
            settings = self._manager.status(order.engine).settings
            kept = {name: value for name, value in order.settings.items() if not settings[name].replaces_voice}
            settings_of_both = {**named.settings, **kept}
            mine = replace(
                named, text=passage.text, seed=order.seed, language=order.language, settings=settings_of_both
            )
        pace = self.pace(order.engine)
        if pace and passage.rate != 1:
            rate = paced(pace, pace_in(mine.settings, pace), passage.rate)
            mine = replace(mine, settings={**mine.settings, pace.name: rate})
        return mine

    def voices(self, text: str) -> Sequence[str]:
        """Return the names of the voices in a text."""
        return list(dict.fromkeys(passage.voice for passage in passages(text) if passage.voice))

    def warnings(self, text: str, engine: str, language: str) -> list[str]:
        """Return warnings about unknown voices, rates that the engine cannot change, and unreadable pronunciations."""
        unknown = [name for name in self.voices(text) if not self.knows(name, engine)]
        warnings = [f"the voice {name} is unknown, so the voice of the text speaks these words" for name in unknown]
        rates = [
            value
            for name, value in (_named_value(each.written) for each in directions_in(text))
            if name == "rate" and value
        ]
        warnings += [f"the rate {value} is not valid; write 1.2 or 120%" for value in rates if rate_of(value) is None]
        if self.pace(engine) is None and any(passage.rate != 1 for passage in passages(text)):
            title = self._manager.status(engine).title
            warnings.append(f"{title} cannot change its speaking rate, so the rates in the text have no effect")
        return warnings + _unreadable_pronunciations(text, language or ENGLISH)

    def knows(self, voice: str, engine: str) -> bool:
        """Return True if the studio has the named voice."""
        return bool(voice) and self._named(voice, engine) is not None

    def performs(self, tag: str, engine: str) -> bool:
        """Return True if an engine performs a tag such as [voice:basil], or if the tag ends another one."""
        name, value = _named_value(tag)
        match name:
            case "voice":
                return self.knows(value, engine)
            case "rate":
                return self.pace(engine) is not None and rate_of(value) is not None
            case ending:
                return ending.startswith("/")

    def pace(self, engine: str) -> Setting | None:
        """Return the setting of an engine's speaking rate; None if the engine has none."""
        return pace_of(self._manager.status(engine).settings.values())

    def _named(self, voice: str, engine: str) -> Order | None:
        """Return an order with a voice that a text names; None if the studio has no such voice. Names are in lower case."""
        for name in dict.fromkeys((voice, voice.lower())):
            with suppress(EngineError):
                return self._order_of(name, engine)
        return None


def _unreadable_pronunciations(text: str, language: str) -> list[str]:
    """Return a warning for each <phoneme> whose pronunciation cannot be spoken in a text of this language."""
    warnings = []
    for tag in TAG.finditer(text):
        if tag[3].lower() != "phoneme" or tag[1]:
            continue
        values = {name.lower(): unescape(value.strip("\"'")) for name, value in ATTRIBUTE.findall(tag[4])}
        ipa, alphabet = values.get("ph", ""), values.get("alphabet", "ipa").lower()
        if alphabet != "ipa":
            why = f"the alphabet {alphabet[:SHOWN]} is not known; write the pronunciation in IPA"
        elif not can_respell(language):
            why = f"IPA is not possible for {name_of(language)}; write the word as it sounds"
        elif not respelled(ipa, language):
            why = "it is missing, too long, or not IPA"
        else:
            continue
        named = f"the pronunciation {ipa[:SHOWN]}" if ipa else "a <phoneme>"
        warnings.append(f"{named} is ignored: {why}")
    return warnings


def _named_value(tag: str) -> tuple[str, str]:
    """Return the name and the value of a tag such as [voice:basil]."""
    name, _, value = tag.strip("[] ").partition(":")
    return name.strip().lower(), value.strip()
