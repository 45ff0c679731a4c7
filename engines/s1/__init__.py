"""S1-Mini (openaudio-s1-mini): a dual autoregressive engine; fish-speech 0.1.0's architecture and file forms."""
