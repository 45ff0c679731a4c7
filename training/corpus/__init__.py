"""The synthetic speech both embedded voices are trained on: sentences, speakers, recordings."""
