"""S1-Mini (openaudio-s1-mini): a dual autoregressive engine with the architecture and file formats of fish-speech 0.1.0."""
