"""Original engines: the packages f5-tts and fish-speech with their own inference, to compare our engines with."""
