"""A file by each name of the table of what is no program, in which a bot could hide what it plays by."""

import subprocess
import sys
from pathlib import Path
from typing import Final

EXAMPLES: Final = {
    "__pycache__": f"__pycache__/helper.{sys.implementation.cache_tag}.pyc",
    ".mypy_cache": ".mypy_cache/3.11/os.json",
    ".ruff_cache": ".ruff_cache/0.4/1",
    ".pytest_cache": ".pytest_cache/v",
    ".hypothesis": ".hypothesis/examples/1",
    ".ipynb_checkpoints": ".ipynb_checkpoints/bot.py",
    ".git": ".git/hook.py",
    ".hg": ".hg/hook.py",
    ".svn": ".svn/hook.py",
    ".jj": ".jj/repo/store",
    ".DS_Store": ".DS_Store",
    "._*": "._bot.py",
    ".AppleDouble": ".AppleDouble/bot.py",
    "__MACOSX": "__MACOSX/._bot.py",
    ".Spotlight-V100": ".Spotlight-V100/store",
    ".Trashes": ".Trashes/0/bot.py",
    ".fseventsd": ".fseventsd/no_log",
    "Thumbs.db": "Thumbs.db",
    "desktop.ini": "desktop.ini",
    ".directory": ".directory",
    ".Trash-*": ".Trash-1000/bot.py",
    ".nfs????????*": ".nfs000000000123456700000001",
    ".fuse_hidden*": ".fuse_hidden0000000100000001",
    ".*.sw[a-p]": ".helper.py.swp",
    ".sw[a-p]": ".swo",
    "*~": "a~",
    ".#*": ".#bot.py",
    "#*#": "#bot.py#",
    ".idea": ".idea/hook.py",
    ".vscode": ".vscode/hook.py",
    ".vs": ".vs/hook.py",
}
"""A name for each pattern of the table, in which a bot could hide what it plays by."""

COMPILED = """\
import py_compile, sys
py_compile.compile(sys.argv[1], sys.argv[2], invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
"""


def cluttered(folder: Path) -> Path:
    """Adds a file by each example to a bot's folder and to those in it; that for Python runs in place of its
    source, `helper.py`."""
    for here in (folder, *(path for path in folder.iterdir() if path.is_dir())):
        for example in EXAMPLES.values():
            (here / example).parent.mkdir(parents=True, exist_ok=True)
            (here / example).write_text("WHO = 'a file of no program'\nHELP = None\n")
    words = (folder / "a~", folder / EXAMPLES["__pycache__"])
    subprocess.run([sys.executable, "-c", COMPILED, *words], check=True)
    return folder
