"""Ids that are one to an engine or a file system, and ids that all differ."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.script.delivery.handoffs import safe_part
from studio.script.delivery.identity import folded, id_key, numbered, same_ids

IDS = st.lists(st.text(alphabet="aAbé_-. /12", max_size=5), max_size=8)


@pytest.mark.parametrize(
    ("ids", "groups"),
    [
        (["A", "B", "A", "B", "C"], [[0, 2], [1, 3]]),
        (["a1", "A1"], [[0, 1]]),
        (["a 1", "a_1", "a/1", "a.1"], [[0, 1, 2, 3]]),
        (["\u00e9", "e\u0301"], [[0, 1]]),
        (["", "", "?", "!"], []),
        (["a-1", "a_1", "a1"], []),
        (["\u0915\u093f", "\u0915\u0940"], []),  # vowel signs tell words of Hindi apart
    ],
)
def test_ids_are_one_if_a_file_system_or_an_engine_takes_them_for_one(ids: list[str], groups: list[list[int]]) -> None:
    assert same_ids(ids) == groups


@pytest.mark.parametrize(
    ("ids", "unlike"),
    [
        (["A", "B", "A", "A"], ["A", "B", "A_2", "A_3"]),
        (["A", "A", "A_2"], ["A", "A_3", "A_2"]),
        (["A", "a"], ["A", "a_2"]),
    ],
)
def test_all_but_the_first_of_one_id_get_the_next_number_that_is_free(ids: list[str], unlike: list[str]) -> None:
    assert numbered(ids) == unlike


@given(IDS)
def test_numbered_ids_differ_as_keys_of_every_engine_and_on_every_file_system(ids: list[str]) -> None:
    unique = [id for id in numbered(ids) if id_key(id)]
    assert same_ids(unique) == []
    assert len({folded(id_key(id)) for id in unique}) == len(unique)
    assert len({folded(safe_part(id_key(id), plain=True)) for id in unique}) == len(unique)
