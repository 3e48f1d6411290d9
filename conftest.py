"""What holds for every test run, whichever part of the project it is asked for."""

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Run notebooks with the Python that runs pytest, not with whatever kernel a machine calls ``python3``."""
    if hasattr(config.option, "nbval_current_env"):
        config.option.nbval_current_env = True
