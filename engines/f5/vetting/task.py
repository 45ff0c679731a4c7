"""What the vetting process is asked to do."""

import json
from dataclasses import asdict, dataclass

from engines.f5.vetting.sandbox import SandboxLimits


@dataclass(frozen=True, slots=True)
class VettingTask:
    """Which weights to check against which network, and where to write them; every path is absolute."""

    weights: str
    safetensors: str  # where to write
    pt: str  # where to write upstream's layout; empty = not at all
    architecture: str  # YAML with model.arch
    vocabulary: str
    design: str  # name of the checkpoint whose network the weights must fit
    limits: SandboxLimits

    def to_json(self) -> str:
        """As the process's only argument."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "VettingTask":
        """Read `to_json`'s text."""
        fields = json.loads(text)
        return cls(**{**fields, "limits": SandboxLimits(**fields["limits"])})
