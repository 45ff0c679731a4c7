"""Automatic checks of takes: words, audio, length, likeness. They run without the engines, and a result may be a doubt."""
