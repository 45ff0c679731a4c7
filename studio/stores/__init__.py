"""Stores of archives and deliveries: folders, S3, the Hugging Face Hub."""
