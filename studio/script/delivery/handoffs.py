"""Tables with which Wwise, FMOD, Unreal and Unity import delivered files.

docs/delivery.md names the published description of each table, and explains how to import it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from studio.languages import name_of
from studio.script.delivery.identity import id_key
from studio.script.delivery.naming import safe_part
from studio.script.delivery.presets import Handoff
from studio.script.delivery.report import DeliveredFile
from studio.script.delivery.text import csv_text, one_line, tsv_text

UNREAL_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
UNREAL_DIALOGUE = (
    "SpeakingVoice",
    "TargetVoices",
    "SpokenDialogue",
    "VoiceActorDirection",
    "AudioFileName",
    "DialogueAsset",
    "IsRecorded",
    "LocalizationKeys",
    "SpeakingVoiceGUID",
    "TargetVoiceGUIDs",
    "DialogueAssetGUID",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoffTable:
    """A table of a delivery."""

    name: str  # name of the file
    write: Callable[[Sequence[DeliveredFile]], str]
    by_language: bool = False  # True if the engine imports all rows of a table in one language

    def names(self, languages: Iterable[str]) -> Mapping[str, str]:
        """Return the name of the table for each language; several languages have separate tables if `by_language` is set."""
        distinct = list(dict.fromkeys(languages))
        stem, dot, ending = self.name.rpartition(".")
        is_split = self.by_language and len(distinct) > 1
        return {tag: f"{stem}-{tag}{dot}{ending}" if is_split else self.name for tag in distinct}


def table_names(kind: Handoff, languages: Iterable[str]) -> list[str]:
    """Return the names of the tables of one kind for lines in these languages."""
    distinct = list(dict.fromkeys(languages))
    return list(dict.fromkeys(name for table in TABLES[kind] for name in table.names(distinct).values()))


def handoff_files(kind: Handoff, files: Sequence[DeliveredFile]) -> Mapping[str, str]:
    """Return the tables of one kind: their paths within the delivery, and their content."""
    texts: dict[str, str] = {}
    for table in TABLES[kind]:
        names = table.names(file.line.language for file in files)
        for name in dict.fromkeys(names.values()):
            texts[name] = table.write([file for file in files if names[file.line.language] == name])
    return texts


def keys(files: Sequence[DeliveredFile]) -> list[str]:
    """Return the key of each file in the game, which is the line's id. `deliver` refuses ids that are not unique."""
    return [id_key(file.line.id) for file in files]


def wwise(files: Sequence[DeliveredFile]) -> str:
    """Return a tab-delimited import. The user of Wwise chooses its language.

    Paths are relative to the table, and objects are relative to the destination of the import.
    """
    rows = [("Audio File", "Object Path", "Object Type", "Notes")]
    for file, key in zip(files, keys(files), strict=True):
        folder = safe_part(file.line.character, plain=True)
        path = f"<Virtual Folder>{folder}\\<Sound Voice>{safe_part(key, plain=True)}"
        rows.append((file.path.replace("/", "\\"), path, "Sound Voice", file.line.text))
    return tsv_text(rows)


def fmod(files: Sequence[DeliveredFile]) -> str:
    """Return the `keys.txt` of an audio table whose source folder is the delivery. A line is key, comma, path."""
    return "".join(f"{key}, {file.path}\r\n" for file, key in zip(files, keys(files), strict=True))


def unreal_strings(files: Sequence[DeliveredFile]) -> str:
    """Return a string table. Its additional columns become metadata of the entries."""
    rows: list[Sequence[str]] = [("Key", "SourceString", "Comment", "Character", "Emotion", "Language", "AudioFile")]
    for file, key in zip(files, keys(files), strict=True):
        line = file.line
        cells = (key, line.text, line.notes, line.character, line.emotion, line.language, file.path)
        rows.append(["".join(UNREAL_ESCAPES.get(c, c) for c in cell) for cell in cells])
    return csv_text(rows, all_quoted=True)


def unreal_dialogue(files: Sequence[DeliveredFile]) -> str:
    """Return a dialogue script in the form of Unreal's export: lists in brackets, True and False as words."""
    rows: list[Sequence[str]] = [UNREAL_DIALOGUE]
    for file, key in zip(files, keys(files), strict=True):
        line = file.line
        cells = {
            "SpeakingVoice": one_line(line.character),
            "TargetVoices": "()",
            "SpokenDialogue": one_line(line.text),
            "VoiceActorDirection": one_line(", ".join(filter(None, (line.emotion, line.direction)))),
            "AudioFileName": file.path,
            "IsRecorded": "True",
            "LocalizationKeys": f'("{key}")',
            "TargetVoiceGUIDs": "()",
        }
        rows.append([cells.get(column, "") for column in UNREAL_DIALOGUE])
    return csv_text(rows, all_quoted=True)


def unity(files: Sequence[DeliveredFile]) -> str:
    """Return a string table collection with shared comments: a row for each line, and a column for each language.

    Unity finds a column by the English name and the tag of its locale, such as Portuguese (Brazil)(pt-BR).
    """
    languages = list(dict.fromkeys(file.line.language for file in files))
    header = ["Key", "Id", "Shared Comments", *(f"{name_of(tag)}({tag})" for tag in languages)]
    rows = []
    for file, key in zip(files, keys(files), strict=True):
        about = " · ".join(filter(None, (one_line(file.line.character), one_line(file.line.emotion), file.path)))
        rows.append([key, "", about, *(file.line.text if file.line.language == tag else "" for tag in languages)])
    return csv_text([header, *rows])


TABLES: Mapping[Handoff, tuple[HandoffTable, ...]] = {
    "wwise": (HandoffTable(name="wwise.tsv", write=wwise, by_language=True),),
    "fmod": (HandoffTable(name="keys.txt", write=fmod),),
    "unreal": (
        HandoffTable(name="unreal-strings.csv", write=unreal_strings),
        HandoffTable(name="unreal-dialogue.csv", write=unreal_dialogue, by_language=True),
    ),
    "unity": (HandoffTable(name="unity-strings.csv", write=unity),),
}
