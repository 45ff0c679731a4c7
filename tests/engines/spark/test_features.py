"""Speech features equal upstream's, which reads the mean of three hidden states of the whole network."""

from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file
from transformers import Wav2Vec2Config, Wav2Vec2FeatureExtractor, Wav2Vec2ForPreTraining, Wav2Vec2Model

from engines.errors import BadCheckpoint
from engines.spark.features import GroupedConvolution, frames_of, read_features
from tests.engines.spark.bicodec_weights import reference


def write(folder: Path, layers: int = 19) -> Path:
    """Write a tiny network in the format of facebook/wav2vec2-large-xlsr-53."""
    config = Wav2Vec2Config(
        hidden_size=16, num_hidden_layers=layers, num_attention_heads=2, intermediate_size=32, conv_dim=[8] * 7,
        conv_bias=True, do_stable_layer_norm=True, feat_extract_norm="layer", num_conv_pos_embeddings=16,
        num_conv_pos_embedding_groups=4, num_codevectors_per_group=4, codevector_dim=8, proj_codevector_dim=8,
    )  # fmt: skip
    with torch.random.fork_rng():
        torch.manual_seed(1)
        network = Wav2Vec2ForPreTraining(config)
        for parameter in network.parameters():
            parameter.data += 0.1 * torch.randn(parameter.shape)
    network.save_pretrained(folder)
    Wav2Vec2FeatureExtractor(do_normalize=True, return_attention_mask=True).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("wav2vec2"))


@pytest.mark.parametrize("seconds", [0.1, 1.0])
def test_features_are_the_mean_of_three_hidden_states(folder: Path, seconds: float) -> None:
    samples = reference(seconds, 220.0)
    extract, network = Wav2Vec2FeatureExtractor.from_pretrained(folder), Wav2Vec2Model.from_pretrained(folder)
    values = extract(samples.numpy(), sampling_rate=16_000, return_tensors="pt").input_values
    with torch.inference_mode():
        states = network(values, output_hidden_states=True).hidden_states
        found = read_features(folder)(samples)
    assert len(states) == 20
    assert found.shape == ((len(samples) - 400) // 320 + 1, 16)
    assert found.std() > 0.1
    assert torch.allclose(found, ((states[11] + states[14] + states[16]) / 3)[0], atol=1e-4)


@torch.inference_mode()
@pytest.mark.parametrize("bias", [True, False])
def test_a_grouped_convolution_equals_its_matrix_products(bias: bool) -> None:
    conv = torch.nn.Conv1d(12, 24, 37, padding=18, groups=3, bias=bias)
    x = torch.randn(1, 12, 50)
    assert torch.allclose(GroupedConvolution(conv).products(x), conv(x), atol=1e-5)


@torch.inference_mode()
def test_padding_does_not_change_features(folder: Path) -> None:
    features, samples = read_features(folder), reference(0.9, 220.0)
    wanted = features(samples)
    padded = features(F.pad(samples, (0, 7_000)), torch.tensor([len(samples)]))
    assert len(padded) > len(wanted) == frames_of(len(samples))
    assert torch.allclose(padded[: len(wanted)], wanted, atol=1e-5)


def test_a_folder_without_the_network_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadCheckpoint, match=r"does not have wav2vec2-large-xlsr-53"):
        read_features(tmp_path)


def test_a_network_with_too_few_layers_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadCheckpoint, match=r"it has too few layers"):
        read_features(write(tmp_path, layers=16))


def test_a_network_without_a_tensor_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path) / "model.safetensors"
    held = load_file(path)
    del held["wav2vec2.encoder.layers.3.final_layer_norm.weight"]
    save_file(held, path, metadata={"format": "pt"})
    with pytest.raises(BadCheckpoint, match=r"encoder\.layers\.3\.final_layer_norm\.weight is missing"):
        read_features(tmp_path)
