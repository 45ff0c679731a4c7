"""Paths of delivered files, from a template or the sheet. They are valid on all file systems and in game engines."""

import re
import string
import unicodedata
from collections.abc import Mapping, Sequence

from engines.errors import BadInput, BadSetting
from studio.script.delivery.identity import folded, numbered_names
from studio.script.delivery.lines import DeliveredLine
from studio.script.delivery.presets import Preset

TEXTS = ("character", "id", "emotion", "scene", "language", "voice", "engine")
NUMBERS = ("take", "seed")
NUMBER_FORM = re.compile(r"(0?[1-9])?d?")
AUDIO_ENDING = re.compile(r"\.(wav|wave|mp3|ogg|opus|flac|aiff?|m4a|wem)$", re.IGNORECASE)
AT_FIRST = frozenset("-=+@%＝＋－＠")  # at the start of a name, these would begin an option of a program or a formula
SEPARATORS = re.compile(r"[/\\]")
FORBIDDEN = frozenset('<>:"/\\|?*')
RESERVED = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])", re.IGNORECASE)
PART_MAX_BYTES = 120
PATH_MAX = 180  # characters; Windows allows 259 including drive and folders


def file_stems(lines: Sequence[DeliveredLine], preset: Preset) -> list[str]:
    """Return each line's path within the delivery, with "/" and without an ending. Raises BadInput and BadSetting.

    A path must stay within the delivery, and no two names may be equal when case is ignored. If the preset has the rule
    "suffix", equal names are numbered; otherwise they are refused.
    """
    pieces = _parsed(preset.template)
    stems = [_stem(line, pieces, preset) for line in lines]
    if preset.same_ids == "suffix":
        stems = numbered_names(stems)
    for line, stem in zip(lines, stems, strict=True):
        if len(stem) > PATH_MAX:
            raise BadInput(f"the file name of line {line.id!r} has {len(stem)} characters; shorten the name")
    refuse_collisions(stems, [line.id for line in lines])
    return stems


def refuse_collisions(paths: Sequence[str], owners: Sequence[str]) -> None:
    """Raise BadInput if two files, or a file and a folder, would have equal names on some file system."""
    taken: dict[str, str] = {}
    for path, owner in zip(paths, owners, strict=True):
        key = folded(path)
        if key in taken:
            raise BadInput(
                f"two files have the same name {path}: {taken[key]!r} and {owner!r}; "
                "use {id} and {take} in the file names, or give the lines other ids"
            )
        taken[key] = owner
    for path in paths:
        parts = folded(path).split("/")
        for count in range(1, len(parts)):
            folder = "/".join(parts[:count])
            if folder in taken:
                raise BadInput(
                    f"the folder of the file {path} has the same name as the file of {taken[folder]!r}; "
                    "change the name of the folder or of the file"
                )


def safe_part(part: str, plain: bool = False) -> str:
    """Return a part of a path that is valid on any file system and, if `plain` is set, in game engines."""
    kept = "".join(character if _fits(character, plain) else "_" for character in unicodedata.normalize("NFC", part))
    kept = _shortened(kept).strip(" .")
    if kept[:1] in AT_FIRST:
        kept = "_" + kept[1:]
    if RESERVED.fullmatch(kept.split(".")[0].strip()):
        kept = "_" + kept
    return kept or "_"


def _fits(character: str, plain: bool) -> bool:
    kind = unicodedata.category(character)
    if plain:
        return kind[0] in "LMN" or character in "_-"
    return kind[0] != "C" and kind not in ("Zl", "Zp") and character not in FORBIDDEN


def _shortened(part: str) -> str:
    return part.encode()[:PART_MAX_BYTES].decode(errors="ignore")


def _parsed(template: str) -> list[tuple[str, str, str]]:
    """Parse a template into literal texts, each with the next field ("" at the end) and that field's format.

    Only plain fields are valid. Raises BadSetting.
    """
    try:
        parsed = list(string.Formatter().parse(template))
    except ValueError as error:
        raise BadSetting(f"the template of the file names is not valid: {error}; correct the template") from error
    for _, field, form, conversion in parsed:
        if field is None:
            continue
        if field not in (*TEXTS, *NUMBERS):
            raise BadSetting(f"unknown field {field!r} in the file names; use {', '.join((*TEXTS, *NUMBERS))}")
        if conversion or not (NUMBER_FORM.fullmatch(form or "") if field in NUMBERS else not form):
            raise BadSetting(f"the field {field!r} of the file names has an unknown format; write it like {{take:02}}")
    if template.startswith(("/", "\\")):
        raise BadSetting("file names cannot begin with / or \\; remove the first character of the template")
    return [(literal, field or "", form or "") for literal, field, form, _ in parsed]


def _stem(line: DeliveredLine, pieces: Sequence[tuple[str, str, str]], preset: Preset) -> str:
    if preset.sheet_names and line.filename.strip():
        name = AUDIO_ENDING.sub("", line.filename.strip().replace("\\", "/"))
    else:
        values = _values(line)
        name = "".join(literal + _shown(values, field, form) for literal, field, form in pieces)
    parts = [part for part in name.split("/") if part.strip(" .")]
    return "/".join(safe_part(part, preset.plain_names) for part in parts) or "_"


def _values(line: DeliveredLine) -> Mapping[str, str | int]:
    texts = {name: str(getattr(line, name)) for name in TEXTS}
    within = {name: SEPARATORS.sub("_", value.strip()) or "_" for name, value in texts.items()}
    return {**within, "take": line.take, "seed": line.seed}


def _shown(values: Mapping[str, str | int], field: str, form: str) -> str:
    return format(values[field], form) if field else ""
