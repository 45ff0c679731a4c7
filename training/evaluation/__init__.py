"""Evaluation of voices: the studio's engines speak held-out lines with held-out references, and models measure the takes."""
