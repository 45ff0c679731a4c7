"""Every text field of every form has a length limit."""

import importlib
import pkgutil
from collections.abc import Iterator

import numpy as np
import pytest
from fastapi import UploadFile
from pydantic import BaseModel, TypeAdapter, ValidationError

import studio.api
from engines.errors import BadText
from engines.types import Audio
from studio.api.texts import long_text
from studio.order import read_order
from studio.references.window import Window, reference_of

HUGE = "\t" * 60_000
UNLIMITED = {
    "ScriptForm.text": "is refused in the answer, while one types",
    "Pasted.text": "is a whole sheet, with its own limit",
    "ConsentForm.at": "is a date and nothing else",
    "SpeechRequest.reference_audio": "is an audio file",
    "InvocationRequest.reference_audio": "is an audio file",
    "Message.ping": "is any JSON, which is sent back",
    "SpeechRequest.user": "is ignored",
    "InvocationRequest.user": "is ignored",
}


def forms() -> Iterator[type[BaseModel]]:
    for module in pkgutil.iter_modules(studio.api.__path__, "studio.api."):
        importlib.import_module(module.name)
    found = BaseModel.__subclasses__()
    for form in found:
        found += form.__subclasses__()
    answers = "studio.api.transcript_answers"
    yield from (form for form in found if form.__module__.startswith("studio.api.") and form.__module__ != answers)


def text_fields() -> list[tuple[type[BaseModel], str]]:
    return [
        (form, name)
        for form in forms()
        for name, field in form.model_fields.items()
        if _takes(field.annotation, "a") and f"{form.__name__}.{name}" not in UNLIMITED
    ]


def _takes(annotation: object, value: str) -> bool:
    if annotation is UploadFile:
        return False
    try:
        TypeAdapter(annotation).validate_python(value, strict=True)
    except (ValidationError, TypeError):
        return False
    return True


@pytest.mark.parametrize(("form", "name"), text_fields(), ids=lambda each: getattr(each, "__name__", each))
def test_a_form_refuses_a_huge_text_in_each_field(form: type[BaseModel], name: str) -> None:
    with pytest.raises(ValidationError) as refused:
        form.model_validate({name: HUGE})
    sentence = long_text(refused.value.errors(include_url=False))
    assert sentence is not None and f"{name} has 60,000 characters; shorten the text to at most" in sentence


def test_the_doors_of_speech_are_among_these_forms() -> None:
    names = {f"{form.__name__}.{name}" for form, name in text_fields()}
    assert {"SpeechRequest.input", "SpeechRequest.reference_text", "VoiceForm.transcript", "Message.text"} <= names
    assert {"GenerateRequest.text", "ClipSpanTranscript.transcript", "ChampionForm.notes"} <= names


@pytest.mark.parametrize("name", ["text", "transcript", "clip_id", "champion"])
def test_an_order_refuses_a_huge_text(name: str) -> None:
    with pytest.raises(BadText, match=f"{name} has 60,000 characters; shorten the text to at most 5,000"):
        read_order({name: HUGE})


def test_a_reference_refuses_a_huge_transcript() -> None:
    with pytest.raises(BadText, match="at most 5,000"):
        reference_of(Audio(np.ones(24_000, np.float32), 24_000), Window(0.0, 1.0), "a" + HUGE)
