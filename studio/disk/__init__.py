"""The data folder: files, database, descriptions of rows, free space, and removal of old files."""
