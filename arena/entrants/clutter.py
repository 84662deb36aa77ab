"""What systems, editors and interpreters leave in a folder by themselves. It is no program: it is neither in
a bot's digest nor in its sight, so that nothing follows from it, whatever it holds.

SPEC.md shows the table. A `.pyc` outside of `__pycache__` is not in it: Python imports that without a source.
Knows names.
"""

import fnmatch
import re
from typing import Final

CLUTTER: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("Python", ("__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis")),
    ("Jupyter", (".ipynb_checkpoints",)),
    ("git, Mercurial, Subversion, Jujutsu", (".git", ".hg", ".svn", ".jj")),
    ("macOS", (".DS_Store", "._*", ".AppleDouble", "__MACOSX", ".Spotlight-V100", ".Trashes", ".fseventsd")),
    ("Windows", ("Thumbs.db", "desktop.ini")),
    ("Linux", (".directory", ".Trash-*", ".nfs????????*", ".fuse_hidden*")),
    ("Vim", (".*.sw[a-p]", ".sw[a-p]", "*~")),
    ("Emacs", (".#*", "#*#", "*~")),
    ("JetBrains, VS Code, Visual Studio", (".idea", ".vscode", ".vs")),
)
"""Whose it is, and patterns of names of files and folders, at every depth."""

_PATTERNS: Final = re.compile("|".join(fnmatch.translate(one) for _, names in CLUTTER for one in names))


def is_clutter(name: str) -> bool:
    """Whether a file or folder of this name, without the folders above it, is no part of a program."""
    return _PATTERNS.match(name) is not None
