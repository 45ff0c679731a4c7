"""`python -m deploy.sagemaker`; region and credentials are boto3's own."""

import sys

from deploy.sagemaker.commands import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
