"""The command line `python -m deploy.sagemaker`; boto3 chooses region and credentials."""

import sys

from deploy.sagemaker.commands import main
from studio.network_environment import repair_network_environment

if __name__ == "__main__":
    repair_network_environment()
    sys.exit(main(sys.argv[1:]))
