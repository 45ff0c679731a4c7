"""Designed voices: equal to transformers' greedy continuation, kept through all groups of a text, used again by a reference."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from bench.spark_checkpoints import FIRST_GLOBAL, TINY, write
from engines.base import Advanced, Checkpoint, EngineJob, Finished
from engines.codec_lm import plan as planning
from engines.codec_lm.active_request import VOICE_SHARE
from engines.codec_lm.decode_state import Sampling
from engines.codec_lm.engine import CodecLmEngine
from engines.codec_lm.prompts import Turn
from engines.errors import OutOfMemory
from engines.registry import spec
from engines.spark.voice_generator import ATTRIBUTES_MAX
from engines.types import NO_REFERENCE, Reference, Request, VoiceDesign
from tests.engines.s1.test_engine import Listener
from tests.engines.spark.test_engine import VOICE, loaded
from tests.engines.spark.test_engine import job as cloning

DEEP = VoiceDesign("male", "very_low", "high")


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop speech of random weights, which rarely ends by itself, sooner than that of trained ones."""
    monkeypatch.setattr(planning, "ROOM_S", 0.3)
    monkeypatch.setattr(planning, "SLOWEST_CHARACTERS_PER_S", 20.0)


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Checkpoint:
    return write(tmp_path_factory.mktemp("tiny") / "spark", TINY)


@pytest.fixture(scope="module")
def engine(checkpoint: Checkpoint) -> CodecLmEngine:
    return loaded(checkpoint)


def designed(seed: int, text: str = "some words.", design: VoiceDesign = DEEP) -> EngineJob:
    request = Request(text=text, reference=NO_REFERENCE, seed=seed, engine="spark", design=design)
    return EngineJob(f"designed {seed}", request)


def spoken(engine: CodecLmEngine, *jobs: EngineJob) -> tuple[Listener, dict[str, Finished]]:
    """Speak jobs, each admitted one step after the other."""
    listener, ends = Listener(engine), dict[str, Finished]()

    def step() -> None:
        ends.update({event.job_id: event for event in listener.step() if isinstance(event, Finished)})

    for each in jobs:
        engine.admit(each)
        step()
    while len(ends) < len(jobs):
        step()
    return listener, ends


def voice_of(engine: CodecLmEngine, job: EngineJob) -> tuple[int, ...]:
    return spoken(engine, job)[1][job.id].voice_codes


@torch.inference_mode()
def test_a_voice_is_the_greedy_continuation_of_transformers(engine: CodecLmEngine, checkpoint: Checkpoint) -> None:
    from transformers import AutoModelForCausalLM

    designer = engine.runtime.model.designer
    assert designer is not None
    generation: Any = designer.start(DEEP, "some words.", Sampling(seed=1, temperature=0.0, top_p=1.0))
    while not generation.codes.done():
        generation.step()
    tokenizer: Any = engine.runtime.model.tokenizer  # type: ignore[attr-defined]
    prompt = tokenizer.encode(
        "<|task_controllable_tts|><|start_content|>some words.<|end_content|>"
        "<|start_style_label|><|gender_1|><|pitch_label_0|><|speed_label_3|><|end_style_label|>",
        add_special_tokens=False,
    ).ids
    tokens = list(generation.prompt.generated)
    folder = Path(checkpoint.source) / "LLM"
    theirs = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    logits = theirs(torch.tensor([[*prompt, *tokens[:-1]]])).logits[0, len(prompt) - 1 :]
    start = tokenizer.token_to_id("<|start_global_token|>")
    described = [token for text, token in tokenizer.get_vocab().items() if "value" in text or "gender" in text]
    before, voice = tokens[: tokens.index(start)], tokens[tokens.index(start) + 1 :]
    assert len(voice) == VOICE and len(before) > 3
    for place, token in enumerate(tokens):
        if token in voice and place > len(before):
            best = FIRST_GLOBAL + int(logits[place][FIRST_GLOBAL : FIRST_GLOBAL + 4_096].argmax())
        elif place < ATTRIBUTES_MAX:
            best = max([*described, token], key=lambda each: float(logits[place][each]))
        else:
            best = start
        assert token == best
    assert generation.codes.result()[1:, 0].tolist() == [token - FIRST_GLOBAL for token in voice]


def test_the_speech_continues_the_row_of_the_voice(engine: CodecLmEngine) -> None:
    model: Any = engine.runtime.model
    generation = model.designer.start(DEEP, "ab", Sampling(seed=1, temperature=0.8, top_p=0.95))
    while not generation.codes.done():
        generation.step()
    prompt, turn = generation.prompt, Turn("", generation.codes.result())
    earlier = Turn("ab", torch.tensor([[5, 8_191], *[[code, code] for code in range(VOICE)]]))
    embedded = torch.cat((prompt.prefix(turn), prompt.rest(turn, [earlier, Turn("c")])))
    tokens = [int((model.network.embeddings.weight == row).all(1).nonzero()[0, 0]) for row in embedded]
    assert (
        model.tokenizer.decode(tokens[:5], skip_special_tokens=False) == "<|task_controllable_tts|><|start_content|>abc"
    )
    assert tokens[11 : 11 + len(prompt.generated)] == list(prompt.generated)
    assert tokens[11 + len(prompt.generated) :] == [165_156, 165_151, 155_761 + 5, 155_761 + 8_191]


def test_a_seed_gives_one_voice_and_another_seed_gives_another(engine: CodecLmEngine) -> None:
    first = voice_of(engine, designed(1))
    assert len(first) == VOICE and set(first) <= set(range(4_096))
    assert voice_of(engine, designed(1)) == first
    assert voice_of(engine, designed(2)) != first


def test_all_groups_have_the_designed_voice(engine: CodecLmEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    streams, heard = engine.runtime.batch.audio_queue.streams, list[Any]()
    decode = streams.decode
    monkeypatch.setattr(streams, "decode", lambda packets: heard.extend(packets) or decode(packets))
    job = designed(3, "a sentence of some words. " * 12)
    voice = voice_of(engine, job)
    assert sum(packet.last for packet in heard) == 2  # groups
    for packet in heard:
        assert (torch.tensor(voice) == packet.codes[1:].T).all()


def test_designed_and_cloned_voices_in_one_batch_change_none(engine: CodecLmEngine) -> None:
    jobs = [cloning(1, "word " * 5), designed(5), designed(6), cloning(2, "word " * 3)]
    wanted = [spoken(engine, each)[0].audio(each) for each in jobs]
    listener, _ = spoken(engine, *jobs[:3])
    for each, samples in zip(jobs[:3], wanted, strict=False):
        assert np.allclose(listener.audio(each), samples, atol=1e-4)


def test_a_reference_with_the_codes_of_a_designed_voice_speaks_with_it(engine: CodecLmEngine) -> None:
    model, codes = engine.runtime.model, tuple(range(VOICE))
    plain = cloning(1).request
    own = replace(plain, reference=replace(plain.reference, voice_codes=codes))
    foreign = replace(plain, reference=replace(plain.reference, voice_codes=codes[:5]))
    damaged = replace(plain, reference=replace(plain.reference, voice_codes=(*codes[1:], 4_096)))
    taken = [
        engine.runtime.references.prepare(each.reference, engine.prepare(each).reference)
        for each in (own, foreign, damaged)
    ]
    assert model.prompt.voice_codes(taken[0].turn).tolist() == list(codes)
    assert all(torch.equal(each.turn.codes, each.codes.result()) for each in taken[1:])
    assert own.reference.digest != plain.reference.digest
    assert Reference(plain.reference.audio, "a").digest == replace(plain.reference, transcript="a").digest


@pytest.fixture
def exhausted(engine: CodecLmEngine, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Run out of memory at the calls of the network with these numbers."""
    numbers, network, calls = [5, 20], engine.runtime.model.network, 0
    run = network.hidden_states

    def failing(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls in numbers:
            raise torch.OutOfMemoryError("test")
        return run(*args, **kwargs)

    monkeypatch.setattr(network, "hidden_states", failing, raising=False)
    yield numbers


def test_a_step_of_a_voice_that_ran_out_of_memory_is_repeated(engine: CodecLmEngine, exhausted: list[int]) -> None:
    job = designed(7)
    engine.admit(job)
    found: list[Finished] = []
    errors = 0
    while not found:
        try:
            found += [event for event in engine.step() if isinstance(event, Finished)]
        except OutOfMemory:
            errors += 1
    exhausted.clear()
    assert errors == 2
    assert found[0].voice_codes == voice_of(engine, replace(job, id="again"))


def test_a_voice_without_memory_takes_no_speech_from_other_requests(
    engine: CodecLmEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    line, job = cloning(1, "word " * 6), designed(4)
    wanted = spoken(engine, line)[0].audio(line)
    listener, ends = Listener(engine), set[str]()
    for each in (line, job):
        engine.admit(each)
    voice = engine.runtime.batch.requests[job.id].voice
    assert voice is not None
    run, calls = voice.step, list[int]()

    def failing() -> None:
        calls.append(1)
        if len(calls) % 3 == 1:
            raise torch.OutOfMemoryError("test")
        run()

    monkeypatch.setattr(voice, "step", failing)
    while len(ends) < 2:
        try:
            ends |= {event.job_id for event in listener.step() if isinstance(event, Finished)}
        except OutOfMemory:
            continue
    assert np.allclose(listener.audio(line), wanted, atol=1e-4)


def test_a_request_can_be_dropped_or_held_while_its_voice_is_generated(engine: CodecLmEngine) -> None:
    for job in (designed(8), designed(9)):
        engine.admit(job)
    engine.step()
    tokens = engine.runtime.batch.requests["designed 9"].voice._tokens  # type: ignore[union-attr]
    engine.drop("designed 8")
    count = len(tokens)
    engine.step(held=["designed 9"])
    assert len(tokens) == count
    assert "designed 9" not in engine.waiting
    engine.step()
    assert len(tokens) == count + 1
    engine.drop("designed 9")
    assert not engine.step()


def test_the_progress_grows_from_the_first_token_of_the_voice_on(engine: CodecLmEngine) -> None:
    job, shares, ended = designed(11), list[float](), False
    engine.admit(job)
    while not ended:
        events = engine.step()
        shares += [event.fraction for event in events if isinstance(event, Advanced)]
        ended = any(isinstance(event, Finished) for event in events)
    generated = [share for share in shares if share <= VOICE_SHARE]
    assert len(generated) > VOICE and generated[:VOICE] == sorted(set(generated[:VOICE]))
    assert VOICE_SHARE in generated and shares[-1] == 1.0
    spoken = shares[shares.index(VOICE_SHARE) + 1 :]
    assert min(spoken) > VOICE_SHARE and len(set(spoken)) > 10


def test_only_spark_designs_voices() -> None:
    assert [name for name in ("f5", "s1", "orpheus", "spark") if spec(name).designs] == ["spark"]
