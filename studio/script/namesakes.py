"""Find voices that have the name of a character."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from studio.champion_format.champion import proposed_id
from studio.named_voices import NamedVoice, NamedVoices
from studio.script.format.script import Cast, Casting, Project, Sheet, cell
from studio.script.projects import Projects

NO_LETTERS = proposed_id("")  # the id that is proposed for a name without Latin letters


def namesakes(characters: Iterable[str], cast: Cast, voices: Sequence[NamedVoice]) -> Mapping[str, str]:
    """Return the id of the voice with the character's name, for each character without a voice. Champions precede samples."""
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


class Namesakes:
    """Finds the namesakes of a project's characters, and casts them. Thread-safe."""

    def __init__(self, projects: Projects, voices: NamedVoices) -> None:
        self._projects, self._voices = projects, voices

    def of(self, project_id: str) -> Mapping[str, str]:
        """Return the voice with the character's name, for each character without a voice. Raises UnknownProject."""
        cast, characters = self._projects.get(project_id).cast, characters_of(self._projects.sheets(project_id))
        return namesakes(characters, cast, self._voices.list())

    def cast(self, project_id: str, sheet: Sheet) -> None:
        """Give each character of a sheet that has no voice the voice of its name. Raises UnknownProject, NotSaved."""
        characters, voices = characters_of([sheet]), self._voices.list()

        def change(project: Project) -> Project:
            found = namesakes(characters, project.cast, voices)
            return replace(
                project, cast={**project.cast, **{who: {"": (Casting(voice=id),)} for who, id in found.items()}}
            )

        self._projects.change(project_id, change)
