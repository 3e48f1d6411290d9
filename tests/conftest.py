"""What holds for every test here: properties are tried on the same examples each time, with no clock beside them."""

from hypothesis import settings

settings.register_profile("same every time", derandomize=True, deadline=None, database=None)
settings.load_profile("same every time")
