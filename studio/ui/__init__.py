"""The page: Gradio provides layout, fields, queue and named endpoints; assets/ui plays and draws everything else."""
