"""A child process that makes reports on references: `python -m studio.references.report_process`."""

from studio.ears.tasks import serve_pipes

if __name__ == "__main__":
    serve_pipes()
