"""Voices with the name of a character."""

from collections.abc import Iterable, Mapping, Sequence

from studio.champions.champion import proposed_id
from studio.named_voices import NamedVoice
from studio.script.script import Cast, Sheet, cell

NO_LETTERS = proposed_id("")  # the id that is proposed for a name without Latin letters


def namesakes(characters: Iterable[str], cast: Cast, voices: Sequence[NamedVoice]) -> Mapping[str, str]:
    """Return the id of the voice of the same name for each character that has no voice. Champions come before samples."""
    named = {voice.name.casefold(): voice.id for voice in reversed(voices)}
    named |= {voice.id: voice.id for voice in voices}
    found = {}
    for character in characters:
        if character and not any(cast.get(character, {}).values()):
            names = {character.casefold(), proposed_id(character)} - {NO_LETTERS}
            voice = next((named[name] for name in names if name in named), None)
            if voice is not None:
                found[character] = voice
    return found


def characters_of(sheets: Sequence[Sheet]) -> Sequence[str]:
    """Return the characters of the lines that are not deleted, each once."""
    return list(
        dict.fromkeys(cell(sheet, line, "character") for sheet in sheets for line in sheet.lines if not line.deleted)
    )
