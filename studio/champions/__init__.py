"""Champions: data, library, archives and stores. `champions.py` has every use case."""
