"""A RunPod worker: jobs in, sound out."""
