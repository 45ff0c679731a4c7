"""What every test stands on."""

import os

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # as engines.registry sets it, before any test imports torch
