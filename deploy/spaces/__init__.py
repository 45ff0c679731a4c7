"""The studio as a Hugging Face Space."""
