"""How much is asked of the studio, and what it is drawn from."""

import pytest

REQUESTS, SEED = "requests", "seed"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--requests", type=int, default=2_000, help="requests, frames and connections of tests/faults")
    parser.addoption("--seed", type=int, default=1, help="what they are drawn from")


@pytest.fixture
def requests(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption(REQUESTS, 2_000))


@pytest.fixture
def start(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption(SEED, 1))
