"""`engines.vetting`'s process, many times for one import of torch: a fork does each errand (a line of JSON on stdin).

Writes each answer, or null where a process ended without one.
"""

import importlib
import os
import sys

from engines.vetting import main

importlib.import_module("engines.f5.vetting")  # what every process would import anew
for errand in sys.stdin:
    child = os.fork()
    if not child:
        main(errand)
        sys.stdout.flush()
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        sys.stdout.write("null\n")
        sys.stdout.flush()
