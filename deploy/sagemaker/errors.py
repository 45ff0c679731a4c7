"""What cannot be done at AWS, in a sentence."""


class DeployError(Exception):
    """The message says what to do next."""
