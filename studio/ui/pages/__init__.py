"""Pages of the studio; the navigation shows one at a time."""
