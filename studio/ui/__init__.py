"""The page: Gradio for layout, fields, queue and named endpoints; assets/ui for everything heard and drawn."""
