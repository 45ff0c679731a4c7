"""The studio elsewhere: what other servers and platforms need beside it."""
