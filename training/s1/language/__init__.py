"""The dual-autoregressive model of the embedded S1 voice: training on the codec's codes, and export of the whole checkpoint."""
