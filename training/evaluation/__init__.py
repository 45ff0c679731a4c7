"""What a voice is worth: held-out lines from held-out references, spoken by the studio's engines, measured from outside."""
