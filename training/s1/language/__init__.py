"""The language model of the embedded S1 voice."""
