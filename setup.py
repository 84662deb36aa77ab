"""What pyproject.toml cannot say: the sample bots and the documents, which stand at the top of the source, go
into `arena/share` of what is installed, where arena/system/shipped.py finds them.
"""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

SHARED = ("bots/**/*", "docs/*.md", "SPEC.md", "CHANGELOG.md")


class BuildWithShared(build_py):
    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        share = Path(self.build_lib, "arena", "share")
        shutil.rmtree(share, ignore_errors=True)
        for path in (path for pattern in SHARED for path in Path().glob(pattern)):
            if path.is_file() and path.parent.name != "__pycache__":
                (share / path.parent).mkdir(parents=True, exist_ok=True)
                shutil.copy(path, share / path)


setup(cmdclass={"build_py": BuildWithShared})
