"""Takes judged by machine, outside the device's queue: words, sound, length, likeness. Rough, and it says so."""
