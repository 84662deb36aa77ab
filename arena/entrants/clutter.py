"""Files that systems, editors and interpreters leave in a folder. They are not part of a program: a bot's
digest excludes them and the bot cannot see them, so that their content has no effect.

SPEC.md shows the table. It lacks `.pyc` outside `__pycache__`, which Python imports without a source.
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
"""Who leaves them, and patterns for the names of files and folders at every depth."""

_PATTERNS: Final = re.compile("|".join(fnmatch.translate(name) for _, names in CLUTTER for name in names))


def is_clutter(name: str) -> bool:
    """Whether a file or folder with this base name is not part of a program."""
    return _PATTERNS.match(name) is not None
