"""Back up, check and restore the data folder."""
