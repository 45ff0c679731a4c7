"""The engine with random weights: independent rows, caches, groups, pauses, refusals."""

import gc
import threading
import weakref
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from engines.base import Checkpoint, EngineJob, Event, Finished, Refused, Spoke
from engines.codec_lm import plan as planning
from engines.codec_lm.caches import CodeStore
from engines.codec_lm.engine import CodecLmEngine
from engines.codec_lm.packet_queue import FEW_REQUESTS
from engines.codec_lm.plan import SHORTEST_CHARACTERS, groups
from engines.codec_lm.references import DeviceEncoding, ReferenceEncoder
from engines.errors import BadAudio, BadSetting, OutOfMemory
from engines.registry import EngineOptions
from engines.runtime.transfers import AsyncHostCopy
from engines.s1.engine import make_engine
from engines.s1.model import S1Defaults
from engines.s1.quantize import pack
from engines.s1.spec import SPEC
from engines.text import parse
from engines.timbre import VOICES
from engines.types import Audio, Reference, Request, Samples
from training.known_voices import write_known_voices

RATE = 16_000


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop speech of random weights, which rarely ends by itself, sooner than that of trained ones."""
    monkeypatch.setattr(planning, "ROOM_S", 0.3)
    monkeypatch.setattr(planning, "SLOWEST_CHARACTERS_PER_S", 30.0)


@pytest.fixture(scope="module")
def engine(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> CodecLmEngine:
    return loaded(folder, tmp_path_factory.mktemp("cache"))


def loaded(folder: Path, cache: Path, width: int = 8) -> CodecLmEngine:
    engine = make_engine(EngineOptions(name="cpu", max_batch=width, cache_dir=str(cache)))
    for _ in engine.load(Checkpoint(str(folder))):
        pass
    return engine


def reference(seconds: float = 1.0, transcript: str = "what was said.", seed: int = 1) -> Reference:
    noise = np.random.default_rng(seed).normal(0, 0.1, int(seconds * RATE)).astype(np.float32)
    return Reference(Audio(noise, RATE), transcript)


def job(number: int, text: str = "some words to be said.", **changes: object) -> EngineJob:
    asked = {"reference": reference(0.6 + number % 3 * 0.3, seed=number), "seed": number, **changes}
    return EngineJob(str(number), Request(text=text, engine="s1", **asked))  # type: ignore[arg-type]


class Listener:
    """Steps an engine and stores the output of each job."""

    def __init__(self, engine: CodecLmEngine) -> None:
        self.engine = engine
        self.heard: dict[str, list[Samples]] = {}
        self.ended: set[str] = set()
        self.refused: dict[str, Exception] = {}

    def step(self, held: Sequence[str] = (), yielding: Sequence[str] = ()) -> list[Event]:
        events = list(self.engine.step(held, yielding))
        for event in events:
            match event:
                case Spoke():
                    self.heard.setdefault(event.job_id, []).append(event.audio.samples)
                case Finished():
                    self.ended.add(event.job_id)
                case Refused():
                    self.refused[event.job_id] = event.error
        return events

    def finish(self, *jobs: EngineJob) -> None:
        while not {job.id for job in jobs} <= self.ended | self.refused.keys():
            self.step()

    def audio(self, job: EngineJob) -> Samples:
        return np.concatenate(self.heard[job.id])


def alone(engine: CodecLmEngine, wanted: EngineJob) -> Samples:
    listener = Listener(engine)
    engine.admit(wanted)
    listener.finish(wanted)
    return listener.audio(wanted)


@pytest.mark.long
def test_a_group_without_an_end_is_noted_on_its_take(engine: CodecLmEngine) -> None:
    wanted = job(1, "word " * 20)
    engine.admit(wanted)
    finished = None
    while finished is None:
        finished = next((event for event in engine.step() if isinstance(event, Finished)), None)
    assert finished.notes[0].startswith("The speech of “word ")


def test_eight_unequal_requests_that_join_and_leave_equal_single_requests(engine: CodecLmEngine) -> None:
    jobs = [job(number, "word " * (2 + number)) for number in range(8)]
    wanted = [alone(engine, each) for each in jobs]
    listener, waiting = Listener(engine), list(jobs)
    generator = np.random.default_rng(0)
    while waiting or not {each.id for each in jobs} <= listener.ended:
        if waiting and generator.random() < 0.2:
            engine.admit(waiting.pop(int(generator.integers(len(waiting)))))
        held = [each.id for each in jobs if generator.random() < 0.1]
        listener.step(held)
    for each, samples in zip(jobs, wanted, strict=True):
        found = listener.audio(each)
        assert len(found) == len(samples)
        assert np.abs(found - samples).max() < 1e-4


def test_the_same_seed_gives_the_same_audio_and_another_seed_another(engine: CodecLmEngine) -> None:
    assert np.array_equal(alone(engine, job(3)), alone(engine, job(3)))
    assert not np.array_equal(alone(engine, job(3))[:4000], alone(engine, job(3, seed=4))[:4000])


def test_sound_begins_before_the_group_ends(engine: CodecLmEngine) -> None:
    listener, asked = Listener(engine), job(5, "word " * 30)
    engine.admit(asked)
    steps = 0
    while asked.id not in listener.heard:
        listener.step()
        steps += 1
    assert asked.id not in listener.ended
    assert steps <= 4
    engine.drop(asked.id)


def test_a_request_that_yields_between_groups_gives_the_same_audio(engine: CodecLmEngine) -> None:
    first, second = job(4, "word " * 12 + "[pause:0.2s] " + "word " * 8), job(5)
    wanted, listener = alone(engine, first), Listener(engine)
    engine.admit(first)
    listener.step()
    while first.id not in engine.between_segments:
        listener.step(yielding=[first.id])
    assert listener.heard[first.id] and not len(engine.runtime.batch.rows)
    engine.admit(second)
    while second.id not in listener.ended:
        listener.step(held=[first.id])
    listener.finish(first)
    assert np.abs(listener.audio(first) - wanted).max() < 1e-4


def test_a_dropped_job_frees_its_row_and_leaves_the_others_alone(engine: CodecLmEngine) -> None:
    staying, leaving = job(6), job(7, "word " * 20)
    wanted = alone(engine, staying)
    listener = Listener(engine)
    engine.admit(leaving)
    listener.step()
    engine.admit(staying)
    listener.step()
    engine.drop(leaving.id)
    assert engine.runtime.batch.requests.keys() == {staying.id}
    listener.finish(staying)
    assert np.allclose(listener.audio(staying), wanted, atol=1e-5)
    assert leaving.id not in listener.ended


def test_a_row_without_memory_is_refused_and_the_others_continue(
    engine: CodecLmEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = [job(number) for number in range(3)]
    wanted = [alone(engine, each) for each in jobs]

    def allocate(rows: int) -> None:
        if rows > 2:
            raise torch.OutOfMemoryError

    monkeypatch.setattr(engine.runtime.decoder.state, "allocate", allocate)
    listener = Listener(engine)
    for each in jobs:
        engine.admit(each)
    with pytest.raises(OutOfMemory):
        listener.step()
    engine.drop(jobs[-1].id)
    listener.finish(*jobs[:2])
    engine.admit(jobs[-1])
    listener.finish(jobs[-1])
    for each, samples in zip(jobs, wanted, strict=True):
        assert np.abs(listener.audio(each) - samples).max() < 1e-4


def test_pauses_are_exact_and_groups_follow_each_other(engine: CodecLmEngine) -> None:
    asked = job(2, "[pause:0.5s] one thing. [pause:1.25s] another thing. [pause:0.3s]")
    samples = alone(engine, asked)
    silent = np.diff(np.flatnonzero(np.concatenate(([1.0], samples, [1.0])))) - 1
    runs = sorted(int(run) for run in silent if run > 0.1 * RATE)
    assert [round(run / RATE, 2) for run in runs] == [0.3, 0.5, 1.25]


def test_an_edited_transcript_reuses_the_codes_and_not_the_prompt(engine: CodecLmEngine) -> None:
    first, edited = reference(transcript="one two three."), reference(transcript="one two thrae.")
    alone(engine, job(11, reference=first))
    codes, prefixes = engine.runtime.references.store.hits.missed, engine.runtime.prefixes.hits.missed
    alone(engine, job(11, reference=edited))
    assert engine.runtime.references.store.hits.missed == codes
    assert engine.runtime.prefixes.hits.missed == prefixes + 1


def test_codes_survive_a_restart_and_damaged_ones_are_encoded_again(
    engine: CodecLmEngine, folder: Path, tmp_path: Path
) -> None:
    asked = job(1)
    wanted = alone(loaded(folder, tmp_path, 1), asked)
    restarted = loaded(folder, tmp_path, 1)
    assert np.array_equal(alone(restarted, asked), wanted)
    assert (restarted.runtime.references.store.hits.found, restarted.runtime.references.store.hits.missed) == (1, 0)
    (kept,) = tmp_path.rglob("*.npy")
    kept.write_bytes(kept.read_bytes()[:-7])
    mended = loaded(folder, tmp_path, 1)
    assert np.array_equal(alone(mended, asked), wanted)
    assert mended.runtime.references.store.hits.missed == 1
    assert np.load(next(tmp_path.rglob("*.npy"))).ndim == 2


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"settings": {"speed": 1.2}}, BadSetting),
        ({"settings": {"temperature": 9.0}}, BadSetting),
        ({"settings": {"top_p": 0.0}}, BadSetting),
        ({"reference": reference(31.0)}, BadAudio),
        ({"reference": Reference(Audio(np.zeros(RATE, np.float32), RATE), "nothing.")}, BadAudio),
    ],
)
def test_an_invalid_request_is_refused_with_a_message(
    engine: CodecLmEngine, changes: dict[str, object], error: type
) -> None:
    with pytest.raises(error, match=r"\w+ .*[;,]"):
        engine.admit(job(9, **changes))
    assert not engine.runtime.batch.requests


@pytest.mark.long
def test_memory_stays_constant_over_a_long_text(engine: CodecLmEngine) -> None:
    before = engine.memory_bytes
    listener, asked = Listener(engine), job(4, "a sentence of some length, and so on. " * 8)
    engine.admit(asked)
    while asked.id not in listener.ended:
        listener.step()
    assert engine.memory_bytes <= before + engine.runtime.prefixes.bytes


@pytest.mark.long
def test_frames_generated_ahead_change_nothing(folder: Path, tmp_path: Path) -> None:
    jobs = [job(number, "word " * (2 + 5 * number)) for number in range(3)]
    engine = loaded(folder, tmp_path)
    wanted = [alone(engine, each) for each in jobs]
    engine.runtime.batch.ahead = engine.runtime.batch.audio_queue.patient = True  # as on a GPU
    listener = Listener(engine)
    for each in jobs:
        engine.admit(each)
        listener.step()
    listener.finish(*jobs)
    for each, samples in zip(jobs, wanted, strict=True):
        assert np.allclose(listener.audio(each), samples, atol=1e-4)


@pytest.mark.long
def test_the_next_group_follows_a_group_whose_last_packet_waits(folder: Path, tmp_path: Path) -> None:
    engine, other = loaded(folder, tmp_path), job(1, "word " * 40)
    asked = [job(number, "first words. [pause:0.2s] then others. [pause:0.1s] the last.") for number in range(2, 6)]
    wanted = [alone(engine, each) for each in asked]
    engine.runtime.batch.audio_queue.patient = True
    for each, samples in zip(asked, wanted, strict=True):
        listener = Listener(engine)
        engine.admit(other)
        engine.admit(each)
        listener.finish(each)
        engine.drop(other.id)
        found = listener.audio(each)
        assert len(found) == len(samples)
        assert np.abs(found - samples).max() < 1e-4


def test_the_language_decides_how_numbers_are_read(engine: CodecLmEngine) -> None:
    request = job(1, "Noch 2 Tage").request
    reference = replace(request.reference, transcript="Es ist 3 Uhr.", language="de")
    plan = engine.prepare(replace(request, language="de", reference=reference))
    assert [group.text for group in plan.groups] == ["Noch zwei Tage"]
    assert plan.reference is not None and plan.reference.transcript == "Es ist drei Uhr."


@pytest.mark.long
def test_waiting_packets_are_decoded_together(engine: CodecLmEngine) -> None:
    jobs = [job(number, "word " * 12) for number in range(3)]
    sizes: dict[bool, list[int]] = {}
    for patient in (False, True):
        engine.runtime.batch.audio_queue.patient, decoded = patient, sizes.setdefault(patient, [])
        hook = engine.runtime.model.codec.decoder.register_forward_pre_hook(
            lambda _, x, to=decoded: to.append(len(x[0]))
        )
        listener = Listener(engine)
        for each in jobs:
            engine.admit(each)
            listener.step()
        listener.finish(*jobs)
        hook.remove()
    engine.runtime.batch.audio_queue.patient = False
    assert len(sizes[True]) < len(sizes[False])
    assert max(sizes[True]) == 3


@pytest.mark.long
def test_frames_of_few_rows_wait_for_first_audio(engine: CodecLmEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    batch, waited = engine.runtime.batch, []
    monkeypatch.setattr(
        batch.audio_queue.streams,
        "go_first",
        lambda: waited.append([request.heard for request in batch.requests.values()]),
    )
    alone(engine, job(1, "word " * 40))
    assert len(waited) == 1
    for count, waits in ((FEW_REQUESTS, True), (FEW_REQUESTS + 1, False)):
        waited.clear()
        listener, jobs = Listener(engine), [job(number, "word " * 12) for number in range(count)]
        for each in jobs:
            engine.admit(each)
        while not all(request.heard for request in batch.requests.values()):
            listener.step()
        assert bool(waited) == waits
        assert len(waited) <= count
        listener.finish(*jobs)


def test_a_step_waits_only_a_moment_for_a_clip_on_the_device(
    engine: CodecLmEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    references, encoding = engine.runtime.references, DeviceEncoding("digest", Future(), Future())
    monkeypatch.setattr(references, "_on_device", [encoding])
    references.collect(0.001)
    assert not encoding.codes.done()
    encoding.copy.set_result(AsyncHostCopy(torch.ones(2, 3)))
    references.collect()
    assert torch.equal(encoding.codes.result(), references.store.get("digest"))


def test_a_packet_without_memory_is_decoded_later_without_loss(engine: CodecLmEngine) -> None:
    jobs = [job(number, "word " * 12) for number in (2, 3)]
    wanted = [alone(engine, each) for each in jobs]
    short = iter([False, True, False, True, True])

    def full(*_: object) -> None:
        if next(short, False):
            raise torch.OutOfMemoryError

    listener, refusals = Listener(engine), 0
    hook = engine.runtime.model.codec.decoder.model[-1].register_forward_hook(full)
    for each in jobs:
        engine.admit(each)
    while not {each.id for each in jobs} <= listener.ended:
        try:
            listener.step()
        except OutOfMemory:
            refusals += 1
    hook.remove()
    assert refusals == 3
    for each, samples in zip(jobs, wanted, strict=True):
        assert np.allclose(listener.audio(each), samples, atol=1e-5)


def test_others_speak_while_a_reference_is_encoded_in_the_background(folder: Path, tmp_path: Path) -> None:
    engine, gate = loaded(folder, tmp_path), threading.Event()
    speaking, waiting = job(1), job(2)
    wanted = [alone(engine, each) for each in (speaking, waiting)]
    model = engine.runtime.model
    store = CodeStore(None, model.frames.code_sizes)
    engine.runtime.references = ReferenceEncoder(model, SPEC, store, torch.device("cpu"), background=True)
    listener = Listener(engine)
    engine.admit(speaking)
    listener.finish(speaking)
    engine.runtime.references._pool.submit(gate.wait)
    engine.admit(waiting)
    again = job(3, reference=speaking.request.reference, seed=speaking.request.seed)
    engine.admit(again)
    listener.finish(again)
    assert waiting.id not in listener.heard
    gate.set()
    listener.finish(waiting)
    for each, samples in zip((again, waiting), wanted, strict=True):
        assert np.allclose(listener.audio(each), samples, atol=1e-4)


def test_cache_hits_are_counted(folder: Path, tmp_path: Path) -> None:
    engine = loaded(folder, tmp_path)
    for _ in range(3):
        alone(engine, job(1))
    assert engine.figures == {"codes_found": 2, "codes_missed": 1, "prefixes_found": 2, "prefixes_missed": 1}


@pytest.mark.long
def test_a_closed_engine_frees_its_weights_at_once(folder: Path, tmp_path: Path) -> None:
    engine = loaded(folder, tmp_path, 1)
    alone(engine, job(1))
    network = weakref.ref(engine.runtime.model.network)
    gc.collect()
    gc.disable()  # device memory is needed before Python's next garbage collection
    try:
        engine.close()
        assert network() is None
    finally:
        gc.enable()


@pytest.mark.long
def test_a_quantised_checkpoint_speaks_and_is_not_quantised_again(folder: Path, tmp_path: Path) -> None:
    write_known_voices(folder)
    for _ in pack(Checkpoint(str(folder)), tmp_path / "packed", "int8", EngineOptions(name="cpu")):
        pass
    assert (tmp_path / "packed" / VOICES).read_bytes() == (folder / VOICES).read_bytes()
    engine = make_engine(EngineOptions(name="cpu", max_batch=1))
    for _ in engine.load(Checkpoint(str(tmp_path / "packed"))):
        pass
    assert len(alone(engine, job(1))) > RATE / 10
    refused = make_engine(EngineOptions(name="cpu", quantize="int4"))
    with pytest.raises(BadSetting, match="int8"):
        list(refused.load(Checkpoint(str(tmp_path / "packed"))))


def test_a_group_whose_first_frame_is_its_end_is_generated_again_three_times(folder: Path, tmp_path: Path) -> None:
    engine, wanted = loaded(folder, tmp_path), job(1)
    network = engine.runtime.model.network
    end = network.head[-1]
    steps = {}
    for scale in (
        1000,
        -1,
    ):  # sign of the end's logit: positive gives only the end, negative never the end
        end.mul_(scale)
        listener = Listener(engine)
        engine.admit(wanted)
        steps[scale] = 1
        while not any(isinstance(event, Finished) for event in listener.step()):
            steps[scale] += 1
    assert min(steps.values()) == 4
    assert max(steps.values()) > 4  # on other machines it speaks


def test_codes_out_of_range_are_encoded_again_even_if_the_file_cannot_be_removed(tmp_path: Path) -> None:
    codes = torch.tensor([[3, 4], [5, 6]])
    CodeStore(tmp_path, [16, 8]).put("clip", codes)
    assert torch.equal(CodeStore(tmp_path, [16, 8]).get("clip"), codes)
    assert CodeStore(tmp_path, [16, 6]).get("clip") is None
    assert not list(tmp_path.iterdir())
    (tmp_path / "clip.npy").mkdir()  # neither readable nor removable
    assert CodeStore(tmp_path, [16, 8]).get("clip") is None


def test_a_line_shorter_than_the_training_data_is_put_between_dashes() -> None:
    defaults = S1Defaults(characters=" abcdefghijklmnopqrstuvwxyz.-", least_characters=8)
    assert [group.text for group in groups(parse("Hi. [pause:1s] Hello over there."), defaults, 40)] == [
        "- hi. -",
        "hello over there.",
    ]


def test_a_long_reference_leaves_room_for_shorter_groups() -> None:
    script, defaults = parse(" ".join(["The harbour is quiet after midnight."] * 8)), S1Defaults()
    japanese = [len(group.text) for group in groups(parse("港は静かです。" * 40), defaults, 20)]
    assert 20 < max(japanese) < 38  # each counts as three letters
    for room_s, most in ((40, 200), (20, 113), (0, SHORTEST_CHARACTERS)):
        found = groups(script, defaults, room_s)
        assert most / 2 < max(len(group.text) for group in found) <= most
        assert all(group.ample_s <= max(room_s, 8) for group in found)
        assert " ".join(group.text for group in found) == " ".join(group.text for group in groups(script, defaults, 40))


def test_the_parts_of_memory_add_up_and_cleared_caches_are_free(folder: Path, tmp_path: Path) -> None:
    engine = loaded(folder, tmp_path)
    before = engine.memory_parts
    wanted = alone(engine, job(1))
    parts = engine.memory_parts
    assert sum(parts.values()) == engine.memory_bytes and parts["caches"] > before["caches"] == 0
    assert {name for name, bytes in parts.items() if bytes} == {"network", "codec", "KV cache", "caches"}
    codes, prefixes = engine.caches
    assert (codes.entries, codes.missed, prefixes.entries, prefixes.missed) == (1, 1, 1, 1)
    for cache in engine.caches:
        engine.clear(cache.name)
    assert [cache.entries for cache in engine.caches] == [0, 0] and not list(tmp_path.rglob("*.npy"))
    assert np.array_equal(alone(engine, job(1)), wanted)
    assert [cache.missed for cache in engine.caches] == [2, 2]
