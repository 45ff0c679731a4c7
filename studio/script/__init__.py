"""Sheets of lines: imported, rendered, listened through, delivered."""
