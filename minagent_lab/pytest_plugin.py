"""For tests of your own: a fake that must be used up, recordings by name, and no real model by accident.

pytest loads this by itself where the package is installed. It does nothing to a test that does not ask for it, but for
one thing: real models are barred.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from minagent_lab import FakeModel


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line("markers", "real_model: this test may ask a real model, which may cost money")


@pytest.fixture(autouse=True)
def _no_real_model_by_accident(request: pytest.FixtureRequest) -> Iterator[None]:
    from minagent_lab.real_calls import real_calls  # here, so that a run without such tests starts as fast as ever

    with real_calls(allowed=request.node.get_closest_marker("real_model") is not None):
        yield


@pytest.fixture
def fake_model() -> Iterator[Callable[..., FakeModel]]:
    """Make fakes, ``fake_model([...])``; the test fails when items of their scripts are left over."""
    from minagent_lab import FakeModel

    made: list[FakeModel] = []

    def make(script: Iterable[Any], name: str = "fake-1") -> FakeModel:
        made.append(FakeModel(script, name))
        return made[-1]

    yield make
    for model in made:
        model.assert_exhausted()


@pytest.fixture
def replay(request: pytest.FixtureRequest) -> Iterator[Callable[..., FakeModel]]:
    """Load recordings, ``replay("name")``, from the folder ``fixtures`` beside the test; they must be used up too."""
    from minagent_lab import load_fixture

    loaded: list[FakeModel] = []

    def load(name: str, **options: Any) -> FakeModel:
        loaded.append(load_fixture(request.path.parent / "fixtures" / f"{name}.json", **options))
        return loaded[-1]

    yield load
    for model in loaded:
        model.assert_exhausted()
