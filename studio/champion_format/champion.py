"""A champion: a named voice with its metadata. The audio of its reference is a separate file."""

import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Annotated, Any, Self

from pydantic import Field, NonNegativeInt, TypeAdapter

from engines.errors import BadInput
from engines.registry import ENGINES, settings
from engines.text import MAX_CHARACTERS, MAX_TRANSCRIPT_CHARACTERS
from studio.errors import Conflict, NotFound
from studio.languages import is_tag, tag_of

ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
COLOUR = re.compile(r"#[0-9a-f]{6}")
NAME_MAX, NOTES_MAX, STATEMENT_MAX = 80, 4_000, 1_000  # characters
TEXTS = {
    "name": NAME_MAX,
    "transcript": MAX_TRANSCRIPT_CHARACTERS,
    "line": MAX_CHARACTERS,
    "notes": NOTES_MAX,
    "licence": STATEMENT_MAX,
    "engine": NAME_MAX,
}
CONSENT_TEXTS = (
    ("by", "name of the voice owner", NAME_MAX),
    ("at", "date of the consent", NAME_MAX),
    ("statement", "consent text", STATEMENT_MAX),
)
OTHER_ARMS_MAX = 20  # more than sessions have, so that later studios can allow more
NUMBER_MAX = 2**63  # limit of the amount of a setting; larger whole numbers may not fit into a float
CODES_MAX, CODE_MAX = 256, 2**16  # limits of `voice_codes`: their number, and their values (exclusive)
BASE, FINE_TUNED = "base", "fine_tuned"
ShownText = Annotated[str, Field(max_length=STATEMENT_MAX)]
Finite = Annotated[float, Field(allow_inf_nan=False)]


class BadChampion(BadInput):
    """A champion's fields are invalid; the message says what to correct."""


class UnknownChampion(NotFound, BadInput):
    """The library has no champion with this id, or no such version."""


class ChampionConflict(Conflict):
    """Another person saved this champion in the meantime, or a champion with this id exists."""

    def __init__(self, id: str, expected: str) -> None:
        """Describe the conflict. `expected` is the version that the caller wants to replace; empty = the champion is new."""
        moved_on = (
            f"champion {id} was changed by someone else; compare both versions, then save your version or "
            "save it with a new id"
        )
        super().__init__(moved_on if expected else f"champion id {id} is already used; choose another id")
        self.id = id


@dataclass(frozen=True, slots=True, kw_only=True)
class Consent:
    """A statement that this voice may be used, with author and date."""

    by: str
    at: str  # ISO 8601 date
    statement: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionEvidence:
    """The result of the winning arm of a listening session."""

    question: ShownText
    method: ShownText
    arm: ShownText  # name of the winning arm
    other_arms: Annotated[tuple[ShownText, ...], Field(max_length=OTHER_ARMS_MAX)]
    scale: ShownText  # what `value` is, such as a mean opinion score
    value: Finite
    interval_low: Finite | None  # 95 %; None for a single listener's score
    interval_high: Finite | None
    decided: bool  # the arm is better than each other arm with 95 % confidence
    listeners: NonNegativeInt
    votes: NonNegativeInt
    date: ShownText  # ISO 8601 date


EVIDENCE = TypeAdapter(SessionEvidence)
CODES: TypeAdapter[tuple[int, ...]] = TypeAdapter(
    Annotated[tuple[Annotated[int, Field(ge=0, lt=CODE_MAX, strict=True)], ...], Field(max_length=CODES_MAX)]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Votes:
    """Results of the voice in blind trials."""

    won: int = 0
    tied: int = 0
    lost: int = 0
    session: SessionEvidence | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Champion:
    """A frozen record: an edit creates another champion with the same id. Raises BadChampion for invalid fields."""

    id: str
    transcript: str  # the text of the reference, byte for byte as typed
    name: str = ""  # for display; empty = the id
    engine: str = next(iter(ENGINES))  # preferred engine
    settings: Mapping[str, float] = field(default_factory=dict)  # settings of that engine, and optionally the seed
    licence: str = ""  # licence of the engine's weights
    consent: Consent | None = None
    notes: str = ""
    colour: str = ""  # #rrggbb; empty = derived from the id
    votes: Votes | None = None  # results of blind trials; None if there are none
    line: str = ""  # the line that the page proposes
    language: str = ""  # BCP 47 tag of the transcript, and of lines whose language is not clear; empty = detect
    voice_codes: tuple[
        int, ...
    ] = ()  # of a designed voice, for the engine that designed it; other engines use the reference
    fine_tuned: bool = False  # the archive has fine-tuned weights

    def __post_init__(self) -> None:
        check_id(self.id)
        if not self.transcript.strip():
            raise BadChampion("the reference has no transcript; type exactly the words in the reference")
        for name, longest in TEXTS.items():
            _check_text(name, getattr(self, name), longest)
        if self.colour and COLOUR.fullmatch(self.colour) is None:
            raise BadChampion(
                "the colour is not valid; write # and six hex digits, such as #7a5cff, or remove the colour"
            )
        if self.language and not is_tag(self.language):
            raise BadChampion('the language is not valid; write a tag such as "de" or "pt-BR", or leave it empty')
        if self.consent is not None:
            for name, words, longest in CONSENT_TEXTS:
                _check_text(words, getattr(self.consent, name), longest)
        unknown = sorted(set(self.settings) - champion_settings())
        if unknown:
            raise BadChampion(f"unknown settings: {', '.join(unknown)}; remove these settings")
        if not all(abs(value) <= NUMBER_MAX for value in self.settings.values()):
            raise BadChampion("each setting needs a finite number; remove the infinite numbers")

    @property
    def title(self) -> str:
        return self.name or self.id

    def renamed(self, id: str) -> Self:
        return replace(self, id=id, name=self.name if self.name != self.id else "")

    def as_dict(self) -> dict[str, Any]:
        """Return all fields. As in older archives, empty `language`, `voice_codes` and `session` of the votes are left out."""
        fields = asdict(self)
        if not self.language:
            del fields["language"]
        if not self.voice_codes:
            del fields["voice_codes"]
        if self.votes is not None and self.votes.session is None:
            del fields["votes"]["session"]
        return fields

    def metadata(self) -> bytes:
        """Return the content of `metadata.json`. Equal champions give equal bytes."""
        facts = {
            name: value for name, value in self.as_dict().items() if name in WRITTEN and value not in ("", None, {})
        }
        kind = {"model_type": FINE_TUNED} if self.fine_tuned else {"model_type": BASE, "use_base_model": True}
        written = kind | {"champion_id": self.id} | facts
        return (json.dumps(written, ensure_ascii=False, indent=2, sort_keys=True) + "\n").encode()

    @classmethod
    def read(cls, metadata: bytes, transcript: bytes, as_id: str = "") -> Self:
        """Read the contents of `metadata.json` and `reference.txt`; unknown keys are ignored.

        `as_id` replaces the id of the file, which may then be invalid. Raises BadChampion.
        """
        facts, words = _facts(metadata), _words(transcript)
        kind = _required(facts, "model_type", f'add the key with the value "{BASE}" or "{FINE_TUNED}"')
        if kind not in (BASE, FINE_TUNED):
            raise BadChampion(f'metadata.json must say "model_type": "{BASE}" or "{FINE_TUNED}"; correct it')
        id = as_id or _required(facts, "champion_id", "add the key, or choose an id when you import the archive")
        known = {name: _known(name, read, facts[name]) for name, read in READ.items() if facts.get(name) is not None}
        return cls(id=check_id(id), transcript=words, fine_tuned=kind == FINE_TUNED, **known)


def champion_settings() -> frozenset[str]:
    """Return the names of settings that a champion can store: those of all engines, and the seed."""
    return frozenset({"seed", *settings()})


def check_id(id: object) -> str:
    """Return the id. Raises BadChampion if the id is invalid."""
    if isinstance(id, str) and ID.fullmatch(id):
        return id
    raise BadChampion(
        "a champion id has 1 to 64 characters: lower-case letters, digits, - and _, starting with a "
        "letter or digit; choose another id"
    )


def proposed_id(name: str) -> str:
    """Derive an id from a name: `Ahri (calm)` becomes `ahri-calm`."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9_]+", "-", plain).strip("-_")[:64].rstrip("-_") or "champion"


def _check_text(name: str, value: str, longest: int) -> None:
    if len(value) > longest:
        raise BadChampion(f"the {name} has {len(value):,} characters, but the limit is {longest:,}; shorten the {name}")
    if any(unicodedata.category(character) in ("Cc", "Cs") and character not in "\n\t\r" for character in value):
        raise BadChampion(f"the {name} contains control characters; type the {name} again")


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _facts(metadata: bytes) -> dict[str, Any]:
    try:
        facts = json.loads(metadata)
    except (ValueError, RecursionError) as error:
        raise BadChampion("metadata.json is not valid UTF-8 JSON; write the file again") from error
    if not isinstance(facts, dict):
        raise BadChampion("metadata.json is not a JSON object; write the file again as {...}")
    return facts


def _words(transcript: bytes) -> str:
    try:
        return transcript.decode()
    except UnicodeDecodeError as error:
        raise BadChampion("reference.txt is not UTF-8 text; save the file as UTF-8") from error


def _required(facts: Mapping[str, Any], key: str, advice: str) -> object:
    if facts.get(key) is None:
        raise BadChampion(f'metadata.json lacks "{key}"; {advice}')
    return facts[key]


def _settings(value: object) -> dict[str, float]:
    """Return the valid settings, because archives from elsewhere may contain anything."""
    given, known = value.items() if isinstance(value, dict) else (), champion_settings()
    return {
        name: number
        for name, number in given
        if name in known and isinstance(number, int | float) and not isinstance(number, bool)
    }


def _language(value: object) -> str:
    """Return the tag of a language; "" for an unknown one, because archives from elsewhere may contain anything."""
    return tag_of(_text(value)) or ""


def _consent(value: object) -> Consent:
    facts: dict[str, Any] = dict(value)  # type: ignore[call-overload]
    return Consent(by=_text(facts.get("by", "")), at=_text(facts.get("at", "")), statement=_text(facts["statement"]))


def _votes(value: object) -> Votes:
    facts: dict[str, Any] = dict(value)  # type: ignore[call-overload]
    session = facts.get("session")
    counts = {name: max(0, int(facts.get(name, 0))) for name in ("won", "tied", "lost")}
    return Votes(**counts, session=None if session is None else EVIDENCE.validate_python(session))


def _voice_codes(value: object) -> tuple[int, ...]:
    return CODES.validate_python(value)


READ: Mapping[str, Callable[[object], object]] = {
    "name": _text,
    "engine": _text,
    "settings": _settings,
    "licence": _text,
    "consent": _consent,
    "notes": _text,
    "colour": _text,
    "votes": _votes,
    "line": _text,
    "language": _language,
    "voice_codes": _voice_codes,
}
WRITTEN = frozenset(READ)


def _known(name: str, read: Callable[[object], object], value: object) -> Any:
    try:
        return read(value)
    except KeyError as error:
        raise BadChampion(
            f'metadata.json: "{name}" lacks the key "{error.args[0]}"; add the key, or remove "{name}"'
        ) from error
    except (TypeError, ValueError, OverflowError) as error:
        raise BadChampion(
            f'metadata.json: the value of "{name}" has the wrong type; correct or remove "{name}"'
        ) from error
