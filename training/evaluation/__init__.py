"""What a voice is worth: held-out lines by held-out references, spoken by the studio's own engines, judged by outside ears."""
