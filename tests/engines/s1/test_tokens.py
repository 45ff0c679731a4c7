"""The prompts that reach the network compared with those of fish-speech 0.1.0, token by token, in 13 languages."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from bench import s1_checkpoints, s1_upstream
from bench.s1_checkpoints import TINY
from engines.base import Checkpoint, EngineJob
from engines.codec_lm.engine import CodecLmEngine
from engines.registry import EngineOptions
from engines.s1.engine import make_engine
from engines.s1.markers import MARKERS
from engines.s1.spec import SPOKEN
from engines.s1.tokenizer import END, INTERLEAVE, SPEAKER, Tokenizer
from engines.text import parse, spoken_form
from engines.types import Audio, Reference, Request
from tests.engines.s1 import byte_pairs
from tests.engines.text.sentences import LANGUAGES, written

# Upstream reserves 2,048 positions for speech.
NETWORK = {**TINY.network, "n_layer": 1, "n_fast_layer": 1, "vocab_size": 4096, "max_seq_len": 4096}
UNUSUAL = [
    "", " ", "\n", "\n\n a", "a\r\n\r\nb", "  two  spaces ", "tab\tand\u00a0more", "e\u0301", "👩‍👩‍👧 family", "1234567890",
    "a +\n\nb =\n\n= $$\n", "I'LL, we've, it's", "___", "(laughing)(sad) Oh.", "a\u200bb", "\ufeffa", "ﷺ",
    "𠮶𠀀", "नमस्ते", "สวัสดี", "\x00\x7f",
]  # fmt: skip


@pytest.fixture(scope="module")
def ranks() -> dict[bytes, int]:
    texts = [line for language in LANGUAGES for line in written(f"languages/{language}")]
    return byte_pairs.learn([*texts, *UNUSUAL, *UNUSUAL])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, ranks: dict[bytes, int]) -> Path:
    """Provide a small checkpoint in upstream's format, with a vocabulary that has merges in all languages."""
    folder = s1_checkpoints.write(tmp_path_factory.mktemp("s1") / "checkpoint", replace(TINY, network=NETWORK))
    special = json.loads((folder / "special_tokens.json").read_text())
    byte_pairs.save(folder, ranks, [name for name in special if not name.startswith("<|reserved:")])
    return folder


class RecordingEngine:
    """The studio's engine with the small checkpoint; it records the columns of tokens and codes that are embedded."""

    def __init__(self, folder: Path) -> None:
        self.engine: CodecLmEngine = make_engine(EngineOptions(name="cpu", max_batch=1))
        for _ in self.engine.load(Checkpoint(str(folder))):
            pass
        self.engine.runtime.batch.rows.step = lambda _: None  # type: ignore[method-assign, assignment]  # prompts are built, speech is not
        network: Any = self.engine.runtime.model.network
        self._rows = network.config.codebooks + 1
        self._begin = network.semantic_begin
        self._parts: list[Tensor] = []
        embed_text, embed_frames = network.embed_text, network.embed_frames

        def text(tokens: Tensor) -> Tensor:
            columns = torch.zeros(self._rows, len(tokens), dtype=torch.long)
            columns[0] = tokens
            self._parts.append(columns)
            return embed_text(tokens)

        def frames(codes: Tensor) -> Tensor:
            self._parts.append(torch.cat((codes[:, :1] + self._begin, codes), 1).T)
            return embed_frames(codes)

        network.embed_text, network.embed_frames = text, frames

    def prompt(self, transcript: str, text: str, language: str) -> tuple[Tensor, Tensor]:
        """Start to speak a text of one group. Return its prompt (codebooks + 1, t), and the codes of the reference."""
        self._parts.clear()
        noise = np.random.default_rng(0).normal(0, 0.1, 8_000).astype(np.float32)
        reference = Reference(Audio(noise, 16_000), transcript, language=language)
        request = Request(text=text, engine="s1", reference=reference, seed=1, language=language)
        plan = self.engine.prepare(request)
        assert len(plan.groups) == 1
        self.engine.clear("prefixes")
        self.engine.admit(EngineJob("1", request, plan))
        codes = self.engine.runtime.batch.requests["1"].reference.codes.result()
        self.engine.step()
        self.engine.drop("1")
        return torch.cat(self._parts, 1), codes


@pytest.fixture(scope="module")
def engine(folder: Path) -> Iterator[RecordingEngine]:
    recording = RecordingEngine(folder)
    yield recording
    recording.engine.close()


@pytest.fixture(scope="module")
def upstream(folder: Path) -> Any:
    return s1_checkpoints.network(folder)


def prompt_of_generate_long(model: Any, text: str, transcript: str, codes: Tensor) -> Tensor:
    """Return the prompt that upstream's `generate_long` builds; no speech is generated."""
    from fish_speech.models.text2semantic import inference  # takes four seconds

    prompts: list[Tensor] = []

    def record(*, prompt: Tensor, **_: Any) -> Tensor:
        prompts.append(prompt)
        return torch.nn.functional.pad(prompt, (0, 1))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inference, "generate", record)
        patch.setattr(inference.logger, "info", lambda _: None)
        for _ in inference.generate_long(
            model=model, device="cpu", decode_one_token=None, text=text, prompt_text=[transcript], prompt_tokens=[codes]
        ):
            pass
    (prompt,) = prompts
    return prompt


def without_marker(line: str) -> str:
    """Return a line without its stage direction: the studio removes stage directions from transcripts."""
    return line.partition(") ")[2] if line.startswith("(") else line.replace("(sighing) ", "")


def requests(language: str) -> list[tuple[str, str]]:
    """Return (transcript, text) of each sentence of a language; the transcript is another sentence."""
    lines = written(f"languages/{language}")
    return [(without_marker(before), line) for before, line in zip([lines[-1], *lines], lines, strict=False)]


def test_the_sentences_are_in_the_languages_of_the_published_checkpoint() -> None:
    assert set(LANGUAGES) == set(SPOKEN)
    assert [len(set(written(f"languages/{language}"))) for language in LANGUAGES] == [20] * 13


Build = Callable[[Any, str, str, Tensor], Tensor]


def different(language: str, engine: RecordingEngine, upstream: Any, build: Build) -> list[tuple[str, str]]:
    """Return the requests whose prompts differ from those of upstream, which gets the normalised texts."""
    found = []
    for transcript, text in requests(language):
        ours, codes = engine.prompt(transcript, text, language)
        said = parse(text, markers=MARKERS, language=language).spoken
        if not torch.equal(ours, build(upstream, said, spoken_form(transcript, language), codes).long()):
            found.append((transcript, text))
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_prompt_equals_upstreams(language: str, engine: RecordingEngine, upstream: Any) -> None:
    """Compare with `s1_upstream.prompt`, which the next test compares with upstream's own function."""
    assert different(language, engine, upstream, s1_upstream.prompt) == []


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_prompt_equals_that_of_upstreams_generate_long(language: str, engine: RecordingEngine, upstream: Any) -> None:
    assert different(language, engine, upstream, prompt_of_generate_long) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_normalisation_changes_only_spaces_of_these_sentences(language: str) -> None:
    for transcript, text in requests(language):
        pairs = (
            (transcript, spoken_form(transcript, language)),
            (text, parse(text, markers=MARKERS, language=language).spoken),
        )
        for written_form, said in pairs:
            assert said == written_form or (language == "fr" and said.replace(" ", "") == written_form.replace(" ", ""))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_vocabulary_has_merges_of_the_language(language: str, folder: Path) -> None:
    text = "".join(written(f"languages/{language}"))
    assert len(Tokenizer.read(folder).text(text)) < 0.6 * len(text.encode())


@pytest.mark.parametrize("text", UNUSUAL)
def test_tokens_of_unusual_texts_equal_upstreams(text: str, folder: Path, upstream: Any) -> None:
    assert Tokenizer.read(folder).text(text) == upstream.tokenizer.encode(text)


def test_control_tokens_equal_upstreams_if_the_checkpoint_has_none_for_speakers(
    ranks: dict[bytes, int], tmp_path: Path
) -> None:
    from fish_speech.tokenizer import ALL_SPECIAL_TOKENS, FishTokenizer

    byte_pairs.save(tmp_path, ranks, ALL_SPECIAL_TOKENS)
    ours, theirs = Tokenizer.read(tmp_path), FishTokenizer.from_pretrained(str(tmp_path))
    assert [ours.control(text) for text in (END, INTERLEAVE, SPEAKER)] == [
        theirs.encode(text) for text in (END, INTERLEAVE, SPEAKER)
    ]
    assert len(ours.control(SPEAKER)) > 1
    assert (ours.semantic_begin, ours.semantic_count) == (theirs.semantic_begin_id, 1024)


def test_a_control_token_that_someone_typed_is_plain_text_unlike_in_upstream(folder: Path, upstream: Any) -> None:
    assert upstream.tokenizer.encode(END) == Tokenizer.read(folder).control(END)
    assert Tokenizer.read(folder).text(END) == upstream.tokenizer.encode(END, allowed_special=False)
