"""The SNAC codec equals the `snac` package, and its streams equal whole decodes."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from engines.codec_lm.streaming import Packet
from engines.codec_lm.windowed_streams import WindowedStreams
from engines.errors import BadCheckpoint
from engines.orpheus.snac import Snac, SnacNoise, frame_levels, gaussian, join_frames, split_frames
from engines.orpheus.snac_config import SnacConfig
from engines.orpheus.snac_files import download_codec, read_codec
from engines.runtime import weights
from engines.runtime.background import ended
from tests.engines.orpheus.snac_weights import NEW, OLD, PUBLISHED, TINY, save, write

LEVELS = (0, 1, 2, 2, 1, 2, 2)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("snac") / "tiny", TINY)


@pytest.fixture(scope="module")
def codec(path: Path) -> Snac:
    return read_codec(path)


def random_codes(codec: Snac, frames: int, rows: int = 1) -> Tensor:
    generator = torch.Generator().manual_seed(frames)
    return torch.randint(codec.quantizer.quantizers[0].codebook.num_embeddings, (rows, 7, frames), generator=generator)


def decoded(codec: Snac, codes: Tensor, start: int = 0) -> Tensor:
    with torch.inference_mode():
        return codec.decode_windows(torch.full((len(codes),), start), codes)


def upstream(path: Path) -> Any:
    return pytest.importorskip("snac").SNAC.from_pretrained(str(path.parent))


def decoded_upstream(theirs: Any, codec: Snac, codes: Tensor, monkeypatch: pytest.MonkeyPatch) -> Tensor:
    """Decode with the package, whose random numbers are replaced by our noise."""
    blocks, frames = iter(range(len(codec.decoder.model))), torch.arange(codes.shape[2])[None]

    def randn(shape: tuple[int, ...], **_: Any) -> Tensor:
        noise = gaussian(frames, next(blocks), shape[2] // codes.shape[2])
        return noise.expand(len(codes), -1)[:, None]

    with monkeypatch.context() as patch, torch.inference_mode():
        patch.setattr(torch, "randn", randn)
        return theirs.decode(split_frames(codes, LEVELS))[:, 0]


@pytest.mark.parametrize(("config", "frames"), [(TINY, 12), (PUBLISHED, 3)])
def test_it_decodes_like_the_package(
    tmp_path: Path, config: dict[str, Any], frames: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "snac", config)
    theirs, codec = upstream(path), read_codec(path)
    codes = random_codes(codec, frames, rows=2)
    wanted = decoded_upstream(theirs, codec, codes, monkeypatch)
    assert 0.03 < wanted.std() < 0.9
    assert torch.allclose(decoded(codec, codes), wanted, atol=1e-4)


def test_each_block_adds_noise(path: Path, codec: Snac) -> None:
    codes = random_codes(codec, 12)
    names = [name for name, module in codec.named_modules() if isinstance(module, SnacNoise)]
    assert len(names) == len(TINY["decoder_rates"])
    for name in names:
        other = read_codec(path)
        other.get_parameter(f"{name}.linear.weight").zero_()
        assert (decoded(other, codes) - decoded(codec, codes)).abs().max() > 1e-3


def test_decoding_reads_no_value_on_the_host() -> None:
    with weights.unfilled():
        codec = Snac(SnacConfig())
    codes = torch.zeros(2, 7, 9, dtype=torch.long, device="meta")  # whose values cannot be read
    assert codec.decode_windows(codes[:, 0, 0], codes).shape == (2, 9 * 2048)


@pytest.mark.parametrize("samples", [1, 96, 97, 1000])
def test_it_encodes_like_the_package(path: Path, codec: Snac, samples: int) -> None:
    theirs = upstream(path)
    audio = torch.randn(samples, generator=torch.Generator().manual_seed(samples)) / 3
    with torch.inference_mode():
        codes, wanted = codec.encode(audio), theirs.encode(audio[None, None])
    assert codes.dtype == torch.int64
    assert codes.shape == (7, -(-samples // codec.hop))
    for ours, level in zip(split_frames(codes[None], LEVELS), wanted, strict=True):
        assert torch.equal(ours, level)


def test_the_published_sizes() -> None:
    with weights.unfilled():
        codec = Snac(SnacConfig())
    assert (codec.sample_rate, codec.codebooks, codec.hop, codec.before, codec.after) == (24_000, 7, 2048, 3, 3)
    assert codec.levels == LEVELS


def test_a_frame_has_the_order_of_orpheus() -> None:
    frames = torch.arange(14).view(1, 2, 7).transpose(1, 2)
    parts = split_frames(frames, frame_levels((4, 2, 1)))
    assert [part[0].tolist() for part in parts] == [[0, 7], [1, 4, 8, 11], [2, 3, 5, 6, 9, 10, 12, 13]]
    assert torch.equal(join_frames(parts, LEVELS), frames)


@pytest.mark.parametrize("packets", [(3, 6, 12, 19), (1,) * 40, (2, 0), (1,), (24, 16, 0)])
def test_streamed_audio_equals_whole_audio(codec: Snac, packets: tuple[int, ...]) -> None:
    clips = random_codes(codec, sum(packets), rows=2)
    streams = WindowedStreams(codec, 2, compile=False)
    slots, made = [streams.open() for _ in clips], [list[Tensor]() for _ in clips]
    for number, parts in enumerate(zip(*(clip.split(list(packets), 1) for clip in clips), strict=True)):
        last = number == len(packets) - 1
        sound = streams.decode([Packet(slot, part, last) for slot, part in zip(slots, parts, strict=True)])
        for audio, samples, length in zip(made, sound.samples.value(), sound.lengths, strict=True):
            audio.append(samples[:length])
    for audio, wanted in zip(made, decoded(codec, clips), strict=True):
        assert len(wanted) == codec.hop * sum(packets)
        assert torch.allclose(torch.cat(audio), wanted, atol=1e-5)


def test_code_0_is_a_code_like_every_other(codec: Snac) -> None:
    codes = torch.full((1, 7, 9), 5)
    quiet = decoded(codec, codes)
    for row in range(7):
        changed = codes.clone()
        changed[0, row, 4] = 0
        difference = (decoded(codec, changed) - quiet).abs().view(9, codec.hop)
        assert difference[4].max() > 1e-3


def test_first_and_last_frames_are_heard(codec: Snac) -> None:
    frames = decoded(codec, random_codes(codec, 5)).view(5, codec.hop)
    assert (frames.std(1) > 0.01).all()


def test_samples_depend_on_all_latents_of_their_field_and_on_no_others(codec: Snac) -> None:
    z = torch.randn(1, 32, 4 * 21, generator=torch.Generator().manual_seed(1), requires_grad=True)
    samples, first = codec.decoder(z, torch.arange(21)[None])[0], 10 * codec.hop
    for part in (range(first, first + codec.hop), *(range(each, each + 1) for each in range(first, first + 25))):
        (grad,) = torch.autograd.grad(samples[part.start : part.stop].abs().sum(), z, retain_graph=True)
        found = grad[0].abs().sum(0).nonzero().flatten()
        assert found[[0, -1]].tolist() == [codec.decoder.field(part)[0], codec.decoder.field(part)[-1]]


def test_a_changed_frame_changes_only_frames_within_reach(codec: Snac) -> None:
    codes = random_codes(codec, 41)
    changed = codes.clone()
    changed[:, :, 20] = (codes[:, :, 20] + 1) % 64
    difference = (decoded(codec, changed) - decoded(codec, codes)).abs().view(41, codec.hop).amax(1)
    assert (difference[: 20 - codec.after] == 0).all()
    assert (difference[20 + codec.before + 1 :] == 0).all()
    assert (difference[19:22] > 1e-4).all()


def test_a_window_has_the_noise_of_its_place_in_the_stream() -> None:
    whole = gaussian(torch.arange(6)[None], 2, 8)
    assert torch.equal(gaussian(torch.arange(2, 6)[None], 2, 8), whole[:, 16:])
    assert not torch.equal(gaussian(torch.arange(6)[None], 1, 8), whole)


def test_the_noise_is_gaussian() -> None:
    noise = torch.stack([gaussian(torch.arange(500)[None], block, 64)[0] for block in range(4)])
    assert (noise.mean(1).abs() < 0.03).all()
    assert ((noise.std(1) - 1).abs() < 0.03).all()
    assert (((noise.abs() < 1).float().mean(1) - 0.6827).abs() < 0.015).all()
    assert ((torch.corrcoef(noise) - torch.eye(4)).abs() < 0.03).all()
    assert ((noise[:, 1:] * noise[:, :-1]).mean(1).abs() < 0.03).all()


@pytest.mark.parametrize("names", [OLD, NEW])
@pytest.mark.parametrize("file", ["pytorch_model.bin", "model.safetensors"])
def test_all_forms_of_weights_are_read(tmp_path: Path, codec: Snac, names: tuple[str, str], file: str) -> None:
    found = ended(download_codec(str(write(tmp_path / "snac", TINY, names, file).parent)))
    assert found.name == file
    codes = random_codes(codec, 4)
    assert torch.equal(decoded(read_codec(found), codes), decoded(codec, codes))


def test_a_folder_without_weights_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadCheckpoint, match=r"pytorch_model\.bin is missing"):
        ended(download_codec(str(tmp_path)))


@pytest.mark.parametrize(
    "change",
    [
        {"attn_window_size": 32},
        {"noise": False},
        {"depthwise": 1},
        {"vq_strides": [4, 3, 1]},
        {"vq_strides": []},
        {"decoder_rates": [4, 3, 3]},
        {"decoder_dim": 20},
        {"encoder_dim": 0},
        {"codebook_size": "4096"},
        {"latent_dim": 7},
    ],
)
def test_a_configuration_that_is_not_supported_is_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    (tmp_path / "config.json").write_text(json.dumps(TINY | change))
    with pytest.raises(
        BadCheckpoint, match=r"^config\.json does not describe a supported SNAC codec \(.+\); .+ if it is damaged$"
    ):
        read_codec(tmp_path / "pytorch_model.bin")


@pytest.mark.parametrize("text", ["", "[]", "null", "{}"])
def test_a_damaged_configuration_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(BadCheckpoint, match=r"^config\.json does not describe"):
        read_codec(tmp_path / "pytorch_model.bin")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("decoder.model.1.weight_v", None),
        ("decoder.model.1.weight_g", None),
        ("decoder.model.1.weight_g", torch.ones(1, 1, 1)),
        ("decoder.model.1.weight_v", torch.ones(32, 3, 1)),
        ("decoder.model.1.weight_v", torch.tensor(1.0)),
        ("decoder.model.1.weight_v", "text"),
        ("decoder.model.1.bias", None),
        ("decoder.model.1.bias", "text"),
        ("quantizer.quantizers.1.codebook.weight", torch.ones(63, 8)),
        ("decoder.model.99.bias", torch.ones(1)),
    ],
)
def test_weights_that_do_not_fit_are_refused(tmp_path: Path, name: str, value: Any) -> None:
    path = write(tmp_path / "snac", TINY)
    held = torch.load(path, weights_only=True) | {name: value}
    save({key: tensor for key, tensor in held.items() if tensor is not None}, path)
    with pytest.raises(BadCheckpoint, match=r"pytorch_model\.bin"):
        read_codec(path)
