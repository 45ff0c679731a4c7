"""Errors of a deployment on AWS."""


class DeployError(Exception):
    """A deployment error. The message says what to do next."""
