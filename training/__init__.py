"""How the embedded voices are made: corpus, trainings, evaluation."""
