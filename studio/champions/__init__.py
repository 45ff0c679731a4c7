"""Champions: what one is, the library, archives and stores; `champions.py` has every use case."""
