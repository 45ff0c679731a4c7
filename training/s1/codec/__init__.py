"""The codec of the embedded S1 voice."""
