"""Tables with which Wwise, FMOD, Unreal and Unity import delivered files.

docs/delivery.md names the published description of each table, and explains how to import it.
"""

from collections.abc import Mapping, Sequence

from studio.script.delivery.identity import id_key
from studio.script.delivery.naming import safe_part
from studio.script.delivery.presets import Handoff, Preset
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
LANGUAGES = {  # names of languages in Unity
    "ar": "Arabic",
    "cs": "Czech",
    "de": "German",
    "en": "English",
    "es": "Spanish",
    "fr": "French",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "nl": "Dutch",
    "pl": "Polish",
    "pt": "Portuguese",
    "ru": "Russian",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "zh": "Chinese",
}


TABLES: Mapping[Handoff, tuple[str, ...]] = {
    "wwise": ("wwise.tsv",),
    "fmod": ("keys.txt",),
    "unreal": ("unreal-strings.csv", "unreal-dialogue.csv"),
    "unity": ("unity-strings.csv",),
}


def handoff_files(kind: Handoff, files: Sequence[DeliveredFile], preset: Preset) -> Mapping[str, str]:
    """Return the tables of one kind: their paths within the delivery, and their content."""
    if kind == "wwise":
        texts = [wwise(files)]
    elif kind == "fmod":
        texts = [fmod(files)]
    elif kind == "unreal":
        texts = [unreal_strings(files), unreal_dialogue(files)]
    else:
        texts = [unity(files, preset)]
    return dict(zip(TABLES[kind], texts, strict=True))


def keys(files: Sequence[DeliveredFile]) -> list[str]:
    """Return the key of each file in the game, which is the line's id. `deliver` refuses ids that are not unique."""
    return [id_key(file.line.id) for file in files]


def wwise(files: Sequence[DeliveredFile]) -> str:
    """Return a tab-delimited import.

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
    rows: list[Sequence[str]] = [("Key", "SourceString", "Comment", "Character", "Emotion", "AudioFile")]
    for file, key in zip(files, keys(files), strict=True):
        line = file.line
        cells = (key, line.text, line.notes, line.character, line.emotion, file.path)
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


def unity(files: Sequence[DeliveredFile], preset: Preset) -> str:
    """Return a string table collection with shared comments: a row for each line, and a column for each language."""
    codes = [(file.line.language or preset.language).strip() or "en" for file in files]
    languages = list(dict.fromkeys(codes))
    header = ["Key", "Id", "Shared Comments", *(f"{LANGUAGES.get(code, code)}({code})" for code in languages)]
    rows = []
    for file, key, code in zip(files, keys(files), codes, strict=True):
        about = " · ".join(filter(None, (one_line(file.line.character), one_line(file.line.emotion), file.path)))
        rows.append([key, "", about, *(file.line.text if code == language else "" for language in languages)])
    return csv_text([header, *rows])
