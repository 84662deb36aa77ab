"""What holds for all tests: none depends on how busy the machine is, so hypothesis gives no deadlines."""

from hypothesis import settings

settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
