"""Settings that all tests share."""

import os

from hypothesis import settings

# Machines are noisy: no example is timed. CI draws the same examples each time, so that a red run
# is the change's own; elsewhere every run looks at new ones.
settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")
