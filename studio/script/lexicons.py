"""The lexicons of projects: edit them, import and export PLS files, and show the spoken form of a text."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from engines.errors import EngineError
from studio.named_voices import NamedVoices
from studio.script.format.lexicon import LexiconPart, checked, key_of, parts
from studio.script.format.pls import read_pls, write_pls
from studio.script.format.script import Respelling
from studio.script.projects import Projects
from studio.script.views import ScriptViews


class Lexicons:
    """The lexicons of all projects. Thread-safe."""

    def __init__(self, projects: Projects, views: ScriptViews, voices: NamedVoices) -> None:
        self._projects, self._views, self._voices = projects, views, voices

    def replace(self, project_id: str, respellings: Sequence[Respelling]) -> dict[str, Any]:
        """Replace the lexicon, and return the project as JSON. Raises UnknownProject, BadInput, NotSaved."""
        lexicon = tuple(checked(respellings))
        return self._views.as_json(self._projects.change(project_id, lambda project: replace(project, lexicon=lexicon)))

    def file(self, project_id: str) -> bytes:
        """Return the lexicon as PLS. Raises UnknownProject."""
        return write_pls(self._projects.get(project_id).lexicon)

    def add(self, project_id: str, data: bytes) -> tuple[dict[str, Any], Sequence[str]]:
        """Add the words of a PLS file, which replace existing entries. Return the project, and notes on unusable entries.

        Raises UnknownProject, BadLexicon, BadSetting, NotSaved.
        """
        read = read_pls(data)
        new = {key_of(each): each for each in read.respellings}
        kept = [each for each in self._projects.get(project_id).lexicon if key_of(each) not in new]
        return self.replace(project_id, [*kept, *new.values()]), read.notes

    def parts(self, project_id: str, text: str, voice: str, language: str) -> Sequence[LexiconPart]:
        """Return a text of this language as this voice speaks it, divided into parts. Raises UnknownProject."""
        return parts(text, self._projects.get(project_id).lexicon, voice, language)

    def detect(self, text: str, voice: str) -> str:
        """Return the language of a text. The engine of the voice limits the choice; without such a voice, the first engine."""
        try:
            order = self._voices.order("", voice, "", {})
        except EngineError:
            order = self._voices.clip_order({}, "", {})
        return self._voices.detect(order, text)
