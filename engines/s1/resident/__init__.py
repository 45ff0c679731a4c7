"""One kernel that stays on the GPU for a whole frame of one row."""
