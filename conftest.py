"""What holds for every test run, whichever part of the project it is asked for."""

import itertools
import os
import sys
import tempfile
from typing import Any

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Run notebooks with the Python that runs pytest, not with whatever kernel a machine calls ``python3``."""
    os.environ["MINAGENT_LAB_PROGRESS"] = "off"  # what somebody has solved here is no concern of the tests
    if hasattr(config.option, "nbval_current_env"):
        config.option.nbval_current_env = True
    if "nbval.kernel" in sys.modules and os.name == "posix":
        connect_kernels_by_files(config)


def connect_kernels_by_files(config: pytest.Config) -> None:
    """Give nbval's kernels sockets that are files.

    A port is chosen first and used later: with several kernels starting at once, now and then another one has taken it
    by then, the kernel dies, and the whole notebook fails.
    """
    import nbval.kernel
    from jupyter_client.manager import KernelManager

    folder = tempfile.TemporaryDirectory()
    config.add_cleanup(folder.cleanup)
    numbers = itertools.count()

    def manager(**options: Any) -> KernelManager:
        return KernelManager(transport="ipc", connection_file=f"{folder.name}/{next(numbers)}.json", **options)

    nbval.kernel.KernelManager = manager
