"""The codec of the embedded S1 voice, similar to openaudio-s1-mini's: training, export, evaluation by copy synthesis."""
