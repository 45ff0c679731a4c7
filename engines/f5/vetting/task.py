"""The task of the vetting process."""

import json
from dataclasses import asdict, dataclass

from engines.f5.vetting.sandbox import SandboxLimits


@dataclass(frozen=True, slots=True)
class VettingTask:
    """The weights to check, the network they must fit, and the files to write; every path is absolute."""

    weights: str
    safetensors: str  # where to write
    pt: str  # file in upstream's layout; empty = do not write it
    architecture: str  # YAML with model.arch
    vocabulary: str
    design: str  # name of the checkpoint whose network the weights must fit
    limits: SandboxLimits

    def to_json(self) -> str:
        """Encode the task as the only argument of the process."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "VettingTask":
        """Decode the text of `to_json`."""
        fields = json.loads(text)
        return cls(**{**fields, "limits": SandboxLimits(**fields["limits"])})
