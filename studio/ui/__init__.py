"""The page. Gradio provides layout, fields, queue and named endpoints; the scripts in assets/ui draw and play the rest."""
