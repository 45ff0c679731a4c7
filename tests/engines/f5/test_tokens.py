"""The tokens that reach the network compared with those of f5-tts 1.1.22, for its published vocabulary."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from bench.checkpoints import ARCH, redraw, write
from engines.base import Checkpoint, EngineJob
from engines.f5.config import DiTConfig
from engines.f5.engine import F5Engine
from engines.f5.frontend import Vocabulary
from engines.f5.network import DiT
from engines.f5.references import with_full_stop
from engines.registry import EngineOptions
from engines.text import fit, parse
from engines.types import Audio, Reference, Request
from tests.engines.f5 import upstream
from tests.engines.text.sentences import sentences

COUNTS = {"english": 400, "chinese": 400, "mixed": 200}
SIZE = 2545  # symbols of the published vocabulary
REFERENCE_S = 1.0
TRANSCRIPTS = {
    "en": (
        "The tide was out.",
        "Who's there, at this hour?",
        "Oh no, the bridge!",
        "Half past nine, and nobody has come.",
    ),
    "zh": ("银行今天不开门。", "你了解重庆吗？", "他终于长大了！", "这一行字，我得重新写一遍。"),
}
# Pairs of a transcript's language and a kind of sentences, with the number of requests.
ENGLISH_VOICE, CHINESE_VOICE = {"english": 20, "chinese": 10, "mixed": 10}, {"chinese": 20, "english": 10, "mixed": 10}
SPACE = 1  # the token of a space
Rows = list[tuple[str, str, list[int], list[int]]]  # transcript, text, our tokens, upstream's tokens


@pytest.fixture(scope="module")
def front_end() -> ModuleType:
    return upstream.read_front_end()


@pytest.fixture(scope="module")
def inference(front_end: ModuleType) -> Any:
    return upstream.read_inference(front_end)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Provide a small checkpoint in upstream's format with upstream's vocabulary."""
    arch: dict[str, object] = {**ARCH, "depth": 1}
    network = redraw(DiT(DiTConfig.from_mapping(arch, SIZE)))
    folder = write(tmp_path_factory.mktemp("f5") / "published", network, arch)
    shutil.copy(upstream.VOCABULARY, folder / "vocab.txt")
    return folder


@pytest.fixture(scope="module")
def vocabulary(folder: Path) -> Vocabulary:
    return Vocabulary.read(folder / "vocab.txt")


class RecordingEngine:
    """The studio's engine with the small checkpoint; it records the tokens that the network embeds."""

    def __init__(self, folder: Path) -> None:
        self.engine = F5Engine(EngineOptions(name="cpu"))
        for _ in self.engine.load(Checkpoint(str(folder))):
            pass
        self._seen: list[list[int]] = []
        self.engine.model.network.text_embed.register_forward_pre_hook(self._record)

    def _record(self, _: object, given: tuple[Any, ...]) -> None:
        tokens, _frames, dropped = given[:3]
        self._seen += tokens[~dropped].tolist()

    def tokens(self, transcript: str, text: str) -> list[int]:
        """Start to speak a text of one segment; return the tokens of its row."""
        self._seen.clear()
        noise = np.random.default_rng(0).normal(0, 0.1, round(REFERENCE_S * 24_000)).astype(np.float32)
        reference = Reference(Audio(noise, 24_000), transcript, language=language(transcript))
        settings = {"steps": 2}
        request = Request(
            text=text, engine="f5", reference=reference, seed=1, language=language(text), settings=settings, live=False
        )
        self.engine.admit(EngineJob("1", request))
        while not self._seen:
            self.engine.step()
        self.engine.drop("1")
        assert len(self.engine.prepare(request).pieces) == 1
        return self._seen[0]


@pytest.fixture(scope="module")
def engine(folder: Path) -> Iterator[RecordingEngine]:
    recording = RecordingEngine(folder)
    yield recording
    recording.engine.close()


def language(text: str) -> str:
    return "zh" if any("一" <= character <= "鿿" for character in text) else "en"


def indexed(front_end: ModuleType, found: list[list[str]]) -> list[list[int]]:
    """Return the tokens that upstream's network embeds: 0 is the filler, so that symbol i is token i + 1."""
    index, _ = front_end.get_tokenizer(str(upstream.VOCABULARY), "custom")
    return [(row + 1).tolist() for symbols in found for row in front_end.list_str_to_idx([symbols], index)]


def joined(inference: Any, front_end: ModuleType, transcript: str, text: str) -> list[int]:
    """Return upstream's tokens for a reference and a text of one segment."""
    (row,) = indexed(front_end, upstream.symbols(inference, transcript, text, REFERENCE_S))
    return row


def normalised(text: str, characters: frozenset[str]) -> str:
    """Return the text in spoken form, in these characters: the studio changes texts so before it makes tokens."""
    return fit(parse(text, language=language(text)).spoken, characters)


def test_the_vocabulary_is_read_as_upstream_reads_it(front_end: ModuleType, vocabulary: Vocabulary) -> None:
    index, size = front_end.get_tokenizer(str(upstream.VOCABULARY), "custom")
    assert vocabulary.index == index
    assert vocabulary.size == size == SIZE


@pytest.mark.parametrize("kind", COUNTS)
def test_tokens_equal_upstreams(kind: str, front_end: ModuleType, vocabulary: Vocabulary) -> None:
    texts = sentences(kind, COUNTS[kind])
    wanted = indexed(front_end, front_end.convert_char_to_pinyin(texts))
    assert len(set(map(tuple, wanted))) > 0.99 * COUNTS[kind]
    wrong = {
        text: (found, row)
        for text, row in zip(texts, wanted, strict=True)
        if (found := vocabulary.tokens(text).tolist()) != row
    }
    assert wrong == {}


@pytest.mark.parametrize(
    "text", ["", " ", "\n", "  a", "a\u3000b", "\ufeff好", "好\u200b好", "e\u0301", "𠮶𠀀", "\x00"]
)
def test_tokens_of_unusual_texts_equal_upstreams(text: str, front_end: ModuleType, vocabulary: Vocabulary) -> None:
    assert [vocabulary.tokens(text).tolist()] == indexed(front_end, front_end.convert_char_to_pinyin([text]))


@pytest.mark.parametrize(
    ("text", "syllables"),
    [
        ("银行行长", "yin2 hang2 hang2 zhang3"),
        ("重庆很重要", "chong2 qing4 hen3 zhong4 yao4"),
        ("我了解了", "wo3 liao2 jie3 le"),
        ("音乐家很快乐", "yin1 yue4 jia1 hen3 kuai4 le4"),
    ],
)
def test_the_reading_of_a_character_depends_on_its_word(text: str, syllables: str, vocabulary: Vocabulary) -> None:
    names = list(vocabulary.index)
    found = [names[token - 1] for token in vocabulary.tokens(text).tolist()]
    assert found == [symbol for syllable in syllables.split() for symbol in (" ", syllable)]


def compared(engine: RecordingEngine, inference: Any, front_end: ModuleType, voice: str, kinds: dict[str, int]) -> Rows:
    """Return the tokens of requests; upstream gets the normalised texts."""
    characters = engine.engine.model.vocabulary.characters
    found = []
    for kind, count in kinds.items():
        texts = sentences(kind, COUNTS[kind])
        for number, text in enumerate(texts[:: len(texts) // count]):
            transcript = TRANSCRIPTS[voice][number % len(TRANSCRIPTS[voice])]
            wanted = joined(inference, front_end, transcript, normalised(text, characters))
            found.append((transcript, text, engine.tokens(transcript, text), wanted))
    assert len(found) == sum(kinds.values())
    return found


def test_a_request_with_an_english_reference_reaches_the_network_as_in_upstream(
    engine: RecordingEngine, inference: Any, front_end: ModuleType
) -> None:
    rows = compared(engine, inference, front_end, "en", ENGLISH_VOICE)
    assert [row for row in rows if row[2] != row[3]] == []


@pytest.fixture(scope="module")
def chinese_rows(engine: RecordingEngine, inference: Any, front_end: ModuleType) -> Rows:
    return compared(engine, inference, front_end, "zh", CHINESE_VOICE)


def test_a_request_with_a_chinese_reference_reaches_the_network_as_in_upstream(chinese_rows: Rows) -> None:
    assert [row for row in chinese_rows if row[2] != row[3]] == []


def test_the_zero_of_chinese_numbers_reaches_the_network_as_in_upstream(
    engine: RecordingEngine, inference: Any, front_end: ModuleType
) -> None:
    transcript, text = TRANSCRIPTS["en"][0], "今天是二〇二六年三月一日。"
    assert engine.tokens(transcript, text) == joined(inference, front_end, transcript, text)


@pytest.mark.parametrize(
    ("transcript", "ours", "theirs"),
    [
        ("Wait here.", "Wait here. ", "Wait here.  "),
        ("Wait here", "Wait here. ", "Wait here.  "),
        ("Wait here!", "Wait here! ", "Wait here!.  "),
        ("在这里等。", None, "在这里等。"),
        ("在这里等！", None, "在这里等！.  "),
        ("在这里等", "在这里等. ", "在这里等.  "),
    ],
)
def test_upstreams_programs_end_a_transcript_in_another_way(
    transcript: str, ours: str | None, theirs: str, inference: Any, tmp_path: Path
) -> None:
    """Record where `preprocess_ref_audio_text`, which the tests above leave out, differs from our front end."""
    prepared = upstream.prepared_transcript(inference, transcript, tmp_path)
    (symbols,) = upstream.symbols(inference, prepared, "x", REFERENCE_S)
    assert symbols == [*inference.convert_char_to_pinyin([theirs])[0], "x"]
    if ours is not None:
        assert with_full_stop(transcript) == ours
