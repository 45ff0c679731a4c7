"""Champions and engines behind NVIDIA Triton, alone and with SageMaker's multi-model front-end; README.md says how."""
