"""Models of Triton with the names and tensors of the Triton models that F5-TTS and Spark-TTS publish."""
