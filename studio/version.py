"""The version of this studio, which `/health`, the page and `/docs` show."""

VERSION = "0.3.0"
