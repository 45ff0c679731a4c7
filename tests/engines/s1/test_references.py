"""S1's codes of a reference hardly depend on the clip's rate and level."""

import numpy as np
import pytest
import soxr
import torch
from torch import Tensor

from engines.codec_lm.caches import CodeStore
from engines.codec_lm.references import LEVEL_RMS, EncodedReference, ReferenceEncoder
from engines.s1.files import EMBEDDED
from engines.s1.model import S1Model
from engines.s1.spec import SPEC
from engines.types import Audio, Reference
from tests.engines.s1.conftest import read
from training.references import SHIPPED, read_references

RATE = 24_000
ALIKE = {
    8_000: 0.4,
    16_000: 0.7,
    22_050: 0.7,
    44_100: 0.95,
    48_000: 0.95,
    96_000: 0.95,
}  # share of equal semantic codes


@pytest.fixture(scope="module")
def amber() -> Reference:
    samples, transcript = read_references(SHIPPED)["amber"]
    return Reference(Audio(samples, RATE), transcript)


@pytest.fixture(scope="module")
def model() -> S1Model:
    return read(EMBEDDED)


@pytest.fixture(scope="module")
def references(model: S1Model) -> ReferenceEncoder:
    store = CodeStore(None, model.frames.code_sizes)
    return ReferenceEncoder(model, SPEC, store, torch.device("cpu"), background=False)


def prepared(references: ReferenceEncoder, model: S1Model, voice: Reference) -> EncodedReference:
    return references.prepare(voice, references.read(voice, model.prompt))


def codes(prepared: EncodedReference) -> Tensor:
    return prepared.codes.result()


def at_level(voice: Reference, rms: float) -> Reference:
    factor = rms / np.sqrt(np.mean(voice.audio.samples**2))
    return Reference(Audio((voice.audio.samples * factor).astype(np.float32), RATE), voice.transcript)


@torch.inference_mode()
def test_a_clip_at_the_codecs_rate_and_a_good_level_is_encoded_unchanged(
    model: S1Model, references: ReferenceEncoder, amber: Reference
) -> None:
    loud = at_level(amber, 1.1 * LEVEL_RMS)
    assert torch.equal(
        codes(prepared(references, model, loud)), model.encoder.encode(torch.from_numpy(loud.audio.samples))
    )
    assert prepared(references, model, loud).gain == 1.0


@pytest.mark.parametrize("rate", ALIKE)
def test_a_clip_at_another_rate_gives_nearly_the_same_codes(
    model: S1Model, references: ReferenceEncoder, amber: Reference, rate: int
) -> None:
    samples = soxr.resample(amber.audio.samples, RATE, rate).astype(np.float32)
    native = codes(prepared(references, model, amber))
    other = codes(prepared(references, model, Reference(Audio(samples, rate), amber.transcript)))
    assert other.shape == native.shape
    assert float((other == native)[0].float().mean()) > ALIKE[rate]


def test_a_quiet_clip_gives_the_codes_of_its_raised_level(
    model: S1Model, references: ReferenceEncoder, amber: Reference
) -> None:
    raised, quiet = (prepared(references, model, at_level(amber, rms)) for rms in (LEVEL_RMS, LEVEL_RMS / 100))
    assert float((codes(quiet) == codes(raised)).float().mean()) > 0.95
    assert (quiet.gain, quiet.level_rms) == pytest.approx((0.01, LEVEL_RMS), rel=1e-3)
