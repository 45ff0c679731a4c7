"""How the embedded S1 voice was made: its codec first, its dual-AR model after."""
