"""The synthetic speech both embedded voices learn from: sentences, speakers, sound."""
