"""Whatever a client sends becomes an order, or is refused in one sentence that names what is wrong."""

import json
import math
from inspect import Parameter, signature
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from engines import registry
from engines.errors import BadInput, BadSetting, BadText
from studio.order import SEEDS, FlatOrder, Order, flat, read_order
from studio.settings import Settings
from tests.engines.metronome import Metronome
from tests.studio.house import studio_of

LEFT_ALONE = {name: setting.default for name, setting in registry.settings().items()}  # what each is told as then
PARAMETERS = [
    *("text", "clip_id", "start_s", "end_s", "transcript", "engine", "seed"),
    *LEFT_ALONE,
    *("champion", "version", "attachment", "performance", "design", "language"),
]

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.just("\ud800") | st.binary(max_size=9),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)


@settings(max_examples=300, deadline=None, database=None)
@given(st.dictionaries(st.sampled_from([*PARAMETERS, "surprise"]), anything))
def test_anything_is_read_or_refused_in_one_sentence(sent: dict[str, object]) -> None:
    try:
        order = read_order(sent)
    except BadInput as error:
        assert 20 < len(str(error)) < 300
        assert str(error).split()[0].strip('"') in PARAMETERS
        return
    assert order.seed is None or 0 <= order.seed < SEEDS
    assert all(math.isfinite(value) for value in (*order.settings.values(), order.start_s, order.end_s))


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("seed", 2**70, "a whole number from 0 to 2147483647, not 1180591620717411303424"),
        ("seed", -1, "a whole number from 0"),
        ("seed", 3.5, "a whole number from 0"),
        ("seed", math.nan, "a whole number from 0"),
        ("seed", "7", "a whole number from 0"),
        ("seed", True, "a whole number from 0"),
        ("steps", 0, "a whole number from 1"),
        ("speed", math.inf, "a number, not inf"),
        ("speed", 10**400, "a number"),
        ("guidance", "strong", "a number, not 'strong'"),
        ("start_s", [0], "a number"),
    ],
)
def test_a_wrong_setting_is_named_with_what_it_may_be(name: str, value: object, sentence: str) -> None:
    with pytest.raises(BadSetting, match=f'"{name}" must be {sentence}'):
        read_order({name: value})


@pytest.mark.parametrize("value", [3, ["a"], {"path": "/etc/passwd"}, "a" * 200_000, "\ud800"])
def test_a_text_that_is_none_or_too_much_is_refused(value: object) -> None:
    with pytest.raises(BadText, match="text"):
        read_order({"text": value})


def test_what_is_left_out_is_left_to_the_studio() -> None:
    blank = Order(text="", clip_id="", start_s=0.0, end_s=0.0, transcript="")
    assert read_order({}) == read_order(dict.fromkeys(PARAMETERS)) == blank
    assert read_order({"seed": 7.0, "speed": 2}) == Order(
        text="", clip_id="", start_s=0.0, end_s=0.0, transcript="", seed=7, settings={"speed": 2.0}
    )


def test_an_order_is_told_with_every_setting_beside_its_fields() -> None:
    assert list(flat(read_order({}))) == PARAMETERS
    sent = read_order({"speed": 1, "steps": 7.0, "top_p": None})
    assert sent.settings == {"steps": 7}
    answer = {name: flat(sent)[name] for name in LEFT_ALONE}
    assert answer == LEFT_ALONE | {"steps": 7}
    assert json.dumps([answer["speed"], answer["steps"], answer["top_p"]]) == "[1.0, 7, null]"


def test_what_is_stored_is_what_is_told_and_comes_back() -> None:
    stored: TypeAdapter[Order] = TypeAdapter(FlatOrder)
    sent = read_order({"text": "Go.", "speed": 1.25, "steps": 7, "champion": "ahri"})
    assert json.loads(stored.dump_json(sent)) == flat(sent)
    assert stored.validate_json(stored.dump_json(sent)) == sent
    assert stored.dump_json(stored.validate_json(stored.dump_json(sent))) == stored.dump_json(sent)


def test_speak_keeps_its_parameters_and_their_defaults(tmp_path: Path) -> None:
    from studio.ui.pages.speak import speaker  # takes seconds, which collecting other tests need not

    with studio_of(
        tmp_path, Metronome(), settings=Settings(data_dir=tmp_path / "data", engines=("s1", "f5"))
    ) as studio:
        taken = {name: each.default for name, each in signature(speaker(studio)).parameters.items()}
    left_alone = {"clip_id": "", "start_s": 0.0, "end_s": 0.0, "transcript": "", "engine": "s1", "seed": None}
    left_alone |= LEFT_ALONE | {
        "champion": "",
        "version": "",
        "attachment": "",
        "performance": "",
        "design": "",
        "language": "",
    }
    assert list(taken) == ["request", *PARAMETERS]  # the first is Gradio's own
    assert taken == {"request": Parameter.empty, "text": Parameter.empty} | left_alone
