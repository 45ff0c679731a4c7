"""The format of a champion: its record, its files, and its identity. Archives, stores and the library use it."""
