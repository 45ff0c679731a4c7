"""Powers of two, which the blocks of kernels and the shapes of graphs need."""


def next_power_of_two(size: int, least: int = 1) -> int:
    """Return the smallest power of two that is not below `size` (1 or more) and `least`."""
    return max(least, 1 << (size - 1).bit_length())
