"""Settings that all tests share."""

import os

import pytest
from hypothesis import settings

# Machines are noisy: no example is timed. CI draws the same examples each time, so that a red run
# is the change's own; elsewhere every run looks at new ones.
settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")


@pytest.fixture(autouse=True, scope="session")
def own_cache(tmp_path_factory):
    """What tests put into the user's cache goes elsewhere."""
    place = str(tmp_path_factory.mktemp("cache"))
    before = os.environ.get("CROSSLABEL_CACHE")
    os.environ["CROSSLABEL_CACHE"] = place
    yield place
    if before is None:
        del os.environ["CROSSLABEL_CACHE"]
    else:
        os.environ["CROSSLABEL_CACHE"] = before
