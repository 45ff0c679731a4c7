"""The corpus of natural speech: symbols, made-up speakers, and the network in batches (its weights are not needed here)."""

from pathlib import Path

import numpy as np
import pytest
import torch

from training.corpus.kokoro.network import FRAME, STYLE, Kokoro
from training.corpus.kokoro.plan import PlannedLine, read_plan, write_plan
from training.corpus.kokoro.speakers import (
    HIGHEST_HZ,
    LOWEST_HZ,
    ROW_STEP,
    STYLE_HZ,
    StyleBank,
    draw_speaker,
    draw_wide_speaker,
    pack_styles,
    set_speaker,
)
from training.corpus.kokoro.weights import _gates
from training.evaluation.listening import pairs


def test_a_plan_is_read_as_it_was_written(tmp_path: Path) -> None:
    plan = [PlannedLine(20, "drop the camera.", (0, 46, 60, 4, 0)), PlannedLine(21, "no!", (0, 56, 31, 5, 0))]
    write_plan(plan, tmp_path / "plan.gz")
    assert read_plan(tmp_path / "plan.gz") == plan


def test_a_speaker_depends_on_seed_and_number_alone() -> None:
    one, same, other = draw_speaker(1, 7), draw_speaker(1, 7), draw_speaker(1, 8)
    assert np.array_equal(one.wandering, same.wandering) and one.ratio == same.ratio
    assert one.ratio != other.ratio


def test_speakers_shares_sum_to_one_and_their_pitch_is_a_persons() -> None:
    for speaker in (draw_speaker(3, number) for number in range(200)):
        assert speaker.timbre.sum() == pytest.approx(1, abs=1e-5)
        assert speaker.prosody.sum() == pytest.approx(1, abs=1e-5)
        heard = float(np.exp(speaker.prosody @ np.log(STYLE_HZ))) * speaker.pitch * speaker.ratio
        assert LOWEST_HZ - 0.1 <= heard <= HIGHEST_HZ + 0.1


NAMES = ["af_one", "am_two", "bf_three", "zm_four"]


def test_a_wide_speaker_mixes_at_most_three_styles_and_depends_on_seed_and_number() -> None:
    for number in range(50):
        speaker, same = draw_wide_speaker(1, number, NAMES), draw_wide_speaker(1, number, NAMES)
        assert 1 <= np.count_nonzero(speaker.timbre) <= 3
        assert speaker.timbre.sum() == pytest.approx(1, abs=1e-5)
        assert speaker.prosody.sum() == pytest.approx(1, abs=1e-5)
        assert np.array_equal(speaker.wandering, same.wandering) and speaker.pitch == same.pitch


def test_packed_styles_give_a_set_speaker_the_style_of_the_nearest_lower_number(tmp_path: Path) -> None:
    rows = np.random.default_rng(1).normal(size=(2, 510, 2 * STYLE)).astype(np.float32)
    for name, held in zip(NAMES, rows, strict=False):
        held.tofile(tmp_path / f"{name}.bin")
    pack_styles(tmp_path, tmp_path / "styles.npz")
    bank = StyleBank(torch.device("cpu"), tmp_path / "styles.npz")
    alone = set_speaker(bank.names, {"name": "x", "styles": {"am_two": 1.0}})
    for symbols in (1, ROW_STEP, ROW_STEP + 1, 600):
        wanted = rows[1, min((symbols - 1) // ROW_STEP, 84) * ROW_STEP]
        assert np.allclose(bank.of(alone, symbols).numpy(), wanted, atol=3e-3)


def test_a_set_speaker_of_an_unknown_style_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="no style is called xx_none"):
        set_speaker(NAMES, {"name": "x", "styles": {"xx_none": 1.0}})


def test_gates_are_brought_from_onnx_order_to_torchs() -> None:
    assert _gates(torch.arange(8.0)).tolist() == [0, 1, 4, 5, 6, 7, 2, 3]


@torch.inference_mode()
def test_rows_of_a_batch_are_as_alone() -> None:
    torch.manual_seed(1)
    model = Kokoro().eval()
    tokens, styles = torch.randint(1, 178, (2, 9)), torch.randn(2, 2 * STYLE) * 0.1
    together = model.read(tokens, styles)
    for row in range(2):
        alone = model.read(tokens[row : row + 1], styles[row : row + 1])
        for one, other in zip(together, alone, strict=True):
            assert torch.allclose(one[row], other[0], atol=1e-4)


@torch.inference_mode()
def test_a_frame_is_six_hundred_samples() -> None:
    torch.manual_seed(1)
    model = Kokoro().eval()
    said, style = torch.randn(1, 512, 6) * 0.1, torch.randn(1, STYLE) * 0.1
    sound = model.decoder(said, torch.full((1, 12), 120.0), torch.zeros(1, 12), style)
    assert sound.shape == (1, 6 * FRAME)


def test_every_reference_is_given_lines_of_its_own() -> None:
    asked = pairs(["a", "b"], 3)
    assert [name for name, _ in asked] == ["a"] * 3 + ["b"] * 3
    assert len({line for _, line in asked}) == 6
