"""Games that are packages of their own, loaded from their sources: nothing has to be installed."""

import sys
from pathlib import Path

sys.path[:0] = [str(source) for source in sorted(Path(__file__).parent.glob("*/src"))]
