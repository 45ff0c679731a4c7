"""A persistent kernel that generates a whole frame of a single row."""
