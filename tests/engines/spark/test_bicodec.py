"""BiCodec equals upstream's model, and windows with context equal whole decodes."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
import yaml
from safetensors.torch import load_file, save_file
from torch import Tensor

from engines.errors import BadCheckpoint
from engines.runtime import weights
from engines.spark.bicodec import REFERENCE, BiCodec
from engines.spark.bicodec_config import BiCodecConfig
from engines.spark.bicodec_files import read_bicodec
from engines.spark.mel import mel_spectrogram
from engines.spark.volume import normalise_volume
from tests.engines.spark.bicodec_weights import (
    CONFIGS,
    PUBLISHED,
    RECORDED,
    REFERENCES,
    TINY,
    Config,
    changed,
    recorded_shapes,
    speech_features,
    write,
)

CLOSE = 1e-5


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("bicodec") / "BiCodec", TINY, recorded_shapes("tiny"))


@pytest.fixture(scope="module")
def codecs(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, BiCodec]:
    start = tmp_path_factory.mktemp("bicodecs")
    return {name: read_bicodec(write(start / name, each, recorded_shapes(name))) for name, each in CONFIGS.items()}


@pytest.fixture(scope="module")
def recorded() -> Mapping[str, Tensor]:
    with np.load(RECORDED) as held:
        return {name: torch.from_numpy(held[name]) for name in held if not name.endswith("/shapes")}


@pytest.fixture(params=CONFIGS)
def name(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(params=REFERENCES)
def clip(request: pytest.FixtureRequest) -> str:
    return request.param


def same(ours: Tensor, theirs: Tensor) -> bool:
    return ours.shape == theirs.shape and torch.allclose(ours, theirs, rtol=0, atol=CLOSE)


def codes(codec: BiCodec, frames: int, rows: int = 1) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(frames)
    semantic = torch.randint(codec.quantizer.codebook.num_embeddings, (rows, frames), generator=generator)
    return semantic, torch.randint(4**6, (rows, codec.global_codes), generator=generator)


@torch.inference_mode()
def test_semantic_codes_equal_upstreams(
    codecs: Mapping[str, BiCodec], recorded: Mapping[str, Tensor], name: str
) -> None:
    features = speech_features(24, TINY["encoder"]["input_channels"])
    wanted = recorded[f"{name}/short/semantic"]
    assert len(wanted.unique()) > 8
    assert torch.equal(codecs[name].encode_semantic(features), wanted)


@torch.inference_mode()
def test_padding_does_not_change_semantic_codes(codecs: Mapping[str, BiCodec]) -> None:
    assert {name for name, codec in codecs.items() if codec.keeps_length} == {"tiny"}
    features = speech_features(24, TINY["encoder"]["input_channels"])
    padded = torch.cat((features, torch.ones(9, features.shape[1])))
    found = codecs["tiny"].encode_semantic(padded, torch.tensor([24]))
    assert torch.equal(found[:24], codecs["tiny"].encode_semantic(features))


@torch.inference_mode()
def test_global_codes_equal_upstreams(codecs: Mapping[str, BiCodec], recorded: Mapping[str, Tensor], clip: str) -> None:
    wanted = recorded[f"tiny/{clip}/global"]
    assert len(wanted.unique()) > 8
    assert torch.equal(codecs["tiny"].encode_global(REFERENCES[clip]), wanted.long())


def test_global_codes_depend_on_the_clip(recorded: Mapping[str, Tensor]) -> None:
    assert (recorded["tiny/short/global"] != recorded["tiny/long/global"]).sum() > 8


def test_the_mel_spectrogram_equals_upstreams(recorded: Mapping[str, Tensor], clip: str) -> None:
    samples = REFERENCES[clip].repeat(10)[:REFERENCE]
    assert same(mel_spectrogram(samples[None])[0, :, ::25], recorded[f"tiny/{clip}/mel"])


@torch.inference_mode()
def test_decoded_audio_equals_upstreams(
    codecs: Mapping[str, BiCodec], recorded: Mapping[str, Tensor], name: str, clip: str
) -> None:
    codec, wanted = codecs[name], {key: recorded[f"{name}/{clip}/{key}"] for key in ("speaker", "prenet", "audio")}
    semantic, spoken = recorded[f"{name}/{clip}/semantic"][None], recorded[f"{name}/{clip}/global"][None].long()
    speaker = codec.speaker_encoder.vectors(spoken)
    assert same(speaker[0], wanted["speaker"])
    assert same(codec.prenet(codec.quantizer(semantic), speaker)[0], wanted["prenet"])
    assert 0.03 < wanted["audio"].std() < 0.9
    assert same(codec.decode(semantic, spoken)[0], wanted["audio"])


def test_the_volume_equals_upstreams(recorded: Mapping[str, Tensor], clip: str) -> None:
    for key, samples in (("volume", REFERENCES[clip]), ("quiet volume", REFERENCES[clip] / 20)):
        assert same(normalise_volume(samples)[:200], recorded[f"tiny/{clip}/{key}"])


@torch.inference_mode()
def test_windows_with_context_equal_the_whole(codecs: Mapping[str, BiCodec], name: str) -> None:
    codec = codecs[name]
    around, count = codec.before + codec.after, 150
    semantic, spoken = codes(codec, count, rows=2)
    whole = codec.decode(semantic, spoken)
    assert whole.shape == (2, count * codec.hop)
    for first, stop in ((0, 1), (0, 20), (10, 11), (60, 67), (149, 150), (130, 150)):
        start, end = max(0, first - codec.before), min(count, stop + codec.after)
        window = codec.decode(semantic[:, start:end], spoken)[:, (first - start) * codec.hop :]
        wanted = whole[:, first * codec.hop : stop * codec.hop]
        assert end - start <= around + stop - first
        assert same(window[:, : wanted.shape[1]], wanted)


def test_a_frame_depends_on_all_frames_of_its_context_and_on_no_other(codecs: Mapping[str, BiCodec], name: str) -> None:
    codec = codecs[name]
    middle, count = codec.before + 5, codec.before + codec.after + 11
    semantic, spoken = codes(codec, count)
    latents = codec.quantizer(semantic).requires_grad_()
    speaker = codec.speaker_encoder.vectors(spoken)
    samples = codec.decoder(codec.prenet(latents, speaker) + speaker[..., None])
    samples.view(count, codec.hop)[middle].double().square().sum().backward()
    assert latents.grad is not None
    depends = latents.grad[0].abs().sum(0).nonzero().flatten()
    assert depends.tolist() == list(range(middle - codec.before, middle + codec.after + 1))


@torch.inference_mode()
def test_rows_of_a_batch_are_independent(codecs: Mapping[str, BiCodec]) -> None:
    codec = codecs["tiny"]
    semantic, spoken = codes(codec, 12, rows=3)
    together = codec.decode(semantic, spoken)
    for row in range(3):
        assert same(codec.decode(semantic[row : row + 1], spoken[row : row + 1])[0], together[row])
    assert not same(codec.decode(semantic[:1], spoken[1:2])[0], together[0])


def test_the_published_sizes(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(yaml.safe_dump({"audio_tokenizer": PUBLISHED}))
    with weights.unfilled():
        codec = BiCodec(BiCodecConfig.read(tmp_path / "config.yaml"))
    assert (codec.sample_rate, codec.hop, codec.global_codes) == (16_000, 320, 32)
    assert (codec.before, codec.after) == (67, 67)
    meta = torch.zeros(2, 9, dtype=torch.long, device="meta")  # whose values cannot be read
    assert codec.decode(meta, meta.new_zeros(2, 32)).shape == (2, 9 * 320)


def test_only_the_first_six_seconds_of_a_reference_matter(codecs: Mapping[str, BiCodec]) -> None:
    codec, samples = codecs["tiny"], REFERENCES["long"]
    assert torch.equal(codec.encode_global(samples), codec.encode_global(samples[:REFERENCE]))


@torch.inference_mode()
def test_padding_changes_neither_global_codes_nor_the_volume(codecs: Mapping[str, BiCodec], clip: str) -> None:
    samples, codec = REFERENCES[clip], codecs["tiny"]
    padded, length = F.pad(samples, (0, 30_000)), torch.tensor([len(samples)])
    assert same(normalise_volume(padded)[: len(samples)], normalise_volume(samples))
    assert torch.equal(codec.encode_global(padded, length), codec.encode_global(samples))


@pytest.mark.parametrize("file", ["config.yaml", "model.safetensors"])
def test_a_folder_without_a_file_is_refused(tmp_path: Path, file: str) -> None:
    write(tmp_path, TINY, {})
    (tmp_path / file).unlink()
    with pytest.raises(BadCheckpoint, match=rf"{file} is missing; copy the whole folder"):
        read_bicodec(tmp_path)


@pytest.mark.parametrize(
    ("section", "values"),
    [
        ("mel_params", {"mel_fmin": 0}),
        ("mel_params", {"mel_fmax": 7000}),
        ("speaker_encoder", {"fsq_num_quantizers": 2}),
        ("speaker_encoder", {"fsq_levels": [1, 4]}),
        ("prenet", {"use_tanh_at_final": True}),
        ("prenet", {"vocos_dim": 0}),
        ("prenet", {"out_channels": 24}),
        ("prenet", {"sample_ratios": [2, 1]}),
        ("quantizer", {"input_dim": 24}),
        ("speaker_encoder", {"input_dim": 80}),
        ("encoder", {"vocos_dim": "384"}),
        ("encoder", {"vocos_num_layers": 10**9}),
        ("encoder", {"sample_ratios": []}),
        ("encoder", {"unknown": 1}),
        ("quantizer", {"codebook_dim": True}),
        ("decoder", {"rates": [5]}),
        ("decoder", {"kernel_sizes": [10, 8]}),
        ("decoder", {"channels": 18}),
    ],
)
def test_a_configuration_that_is_not_supported_is_refused(folder: Path, section: str, values: dict[str, Any]) -> None:
    refused(folder.parent / "other", changed(TINY, section, **values))


@pytest.mark.parametrize("section", ["mel_params", "encoder", "quantizer", "speaker_encoder", "prenet", "decoder"])
def test_a_configuration_without_a_section_is_refused(tmp_path: Path, section: str) -> None:
    refused(tmp_path, {key: value for key, value in TINY.items() if key != section})


def refused(folder: Path, config: Config) -> None:
    write(folder, config, {})
    with pytest.raises(
        BadCheckpoint, match=r"config\.yaml does not describe a supported BiCodec \(.+\); .+ if it is damaged$"
    ):
        read_bicodec(folder)


@pytest.mark.parametrize(
    "text", ["", "[]", "audio_tokenizer: []", "audio_tokenizer: !!python/name:os.system", "{", "\0"]
)
def test_a_damaged_configuration_is_refused(tmp_path: Path, text: str) -> None:
    write(tmp_path, TINY, {})
    (tmp_path / "config.yaml").write_text(text)
    with pytest.raises(BadCheckpoint, match=r"config\.yaml does not describe a supported BiCodec"):
        read_bicodec(tmp_path)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("decoder.model.0.weight_v", None),
        ("decoder.model.0.weight_g", None),
        ("decoder.model.0.weight_g", torch.ones(1, 1, 1)),
        ("decoder.model.0.weight_v", torch.ones(16, 3, 1)),
        ("decoder.model.0.weight_v", torch.tensor(1.0)),
        ("prenet.vocos_backbone.convnext.0.norm.scale.weight", None),
        ("encoder.project.bias", torch.ones(3)),
        ("quantizer.codebook.weight", torch.ones(63, 8)),
        ("speaker_encoder.speaker_encoder.layer1.bn.running_mean", None),
        ("speaker_encoder.speaker_encoder.layer2.se_res2block.1.bns.0.running_var", torch.ones(3)),
        ("speaker_encoder.perceiver_sampler.norm.gamma", None),
        ("decoder.model.99.bias", torch.ones(1)),
    ],
)
def test_weights_that_do_not_fit_are_refused(tmp_path: Path, folder: Path, name: str, value: Tensor | None) -> None:
    held = load_file(folder / "model.safetensors") | {name: value}
    write(tmp_path, TINY, {})
    save_file({key: each for key, each in held.items() if each is not None}, tmp_path / "model.safetensors")
    with pytest.raises(BadCheckpoint, match=r"model\.safetensors"):
        read_bicodec(tmp_path)


def test_damaged_weights_are_refused(tmp_path: Path) -> None:
    write(tmp_path, TINY, {})
    (tmp_path / "model.safetensors").write_bytes(b"not tensors")
    with pytest.raises(BadCheckpoint, match=r"model\.safetensors is damaged"):
        read_bicodec(tmp_path)


def test_the_weights_of_training_are_not_needed(tmp_path: Path, folder: Path, codecs: Mapping[str, BiCodec]) -> None:
    held = load_file(folder / "model.safetensors")
    needed = {name: each for name, each in held.items() if not name.startswith(("postnet", "quantizer.cluster_size"))}
    assert len(needed) < len(held)
    write(tmp_path, TINY, {})
    save_file(needed, tmp_path / "model.safetensors")
    for ours, theirs in zip(read_bicodec(tmp_path).parameters(), codecs["tiny"].parameters(), strict=True):
        assert torch.equal(ours, theirs)
