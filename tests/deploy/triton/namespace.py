"""Run a command as if in a container: `unshare -n -m python namespace.py FOLDER COMMAND...`.

The network is only this namespace's loopback, because Triton's SageMaker front-end listens on every address. FOLDER/data is a
small disk, which can be full; FOLDER/archives is /opt/ml/models, the only folder from which Triton loads SageMaker's archives.
"""

import fcntl
import os
import socket
import struct
import subprocess
import sys

SET_FLAGS, UP, RUNNING = 0x8914, 0x1, 0x40  # of ioctl, see netdevice(7)


DISK = "size=96m"


def main() -> None:
    folder, *command = sys.argv[1:]
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, SET_FLAGS, struct.pack("16sh", b"lo", UP | RUNNING))
    mount("-t", "tmpfs", "-o", DISK, "tmpfs", f"{folder}/data")
    mount("-t", "tmpfs", "tmpfs", "/opt")
    os.makedirs("/opt/ml/models")
    mount("--bind", f"{folder}/archives", "/opt/ml/models")
    os.execvp(command[0], command)


def mount(*how: str) -> None:
    subprocess.run(["mount", *how], check=True)


if __name__ == "__main__":
    main()
