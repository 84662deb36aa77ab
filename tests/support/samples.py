"""The sample bots that stand in bots/."""

from typing import Final

BOTS: Final = ["careful.py", "counter.js", "dreamer.pl", "greedy.py", "modest.sh", "random.py"]
