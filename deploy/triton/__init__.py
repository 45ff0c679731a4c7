"""Champions and engines in NVIDIA Triton, alone or in SageMaker's multi-model endpoints; see README.md."""
