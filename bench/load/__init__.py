"""How many listeners a running studio carries: `python -m bench.load ADDRESS`."""
