"""The data folder: files, database, JSON files that can restore it, free space, and removal of old files."""
