"""The data of a script: projects, sheets, lines, casts, lexicons and length limits."""
