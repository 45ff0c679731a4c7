"""A frame of S1 by one kernel that stays on the GPU, to be held against the kernels of `engines.s1.fused`."""
