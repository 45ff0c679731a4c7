"""The runtime of codec language models: everything that such engines share. An engine supplies the parts in `parts.py`."""
