"""What a beginner does who is told to mend a bot by `arena check`: the cure that its words ask for.

Written by somebody who reads the texts of `mend` and not the programs of generator.py, whose author did the
reverse. `python -m tests.hundred.survey --json` prints the pairs of diagnosis and mend that come up.
"""

READ_AS: dict[str, str] = {}
"""The name of a diagnosis, as in `arena check --json`, to the name of a cure, as in `generator.CURES`."""
