"""Run `engines.f5.vetting.process` many times with one import of torch: a fork for each task (JSON line on stdin).

Writes each answer, or null for a process without one.
"""

import importlib
import os
import sys

from engines.f5.vetting.process import main

importlib.import_module("engines.f5.vetting.tensors")  # imports that every process would repeat
for task in sys.stdin:
    child = os.fork()
    if not child:
        main(task)
        sys.stdout.flush()
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        sys.stdout.write("null\n")
        sys.stdout.flush()
