"""Deployment of the studio on other servers and platforms."""
