"""Evaluation of voices: held-out lines with held-out references, spoken by the studio's engines, measured by other models."""
