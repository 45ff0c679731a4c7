"""The synthetic speech on which both embedded voices are trained: sentences, speakers, recordings."""
