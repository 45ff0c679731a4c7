"""A RunPod worker, which answers jobs with audio."""
