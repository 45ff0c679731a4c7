"""Errors of a deployment on AWS."""


class DeployError(Exception):
    """A deployment failed. The message says what to do next."""
