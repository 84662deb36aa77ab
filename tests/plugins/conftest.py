"""Games that are packages of their own, imported from their sources: nothing has to be installed. Their
folders do not stand on the path, where what a build leaves behind would make them look installed."""

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Final

SOURCES: Final = {init.parent.name: init for init in Path(__file__).parent.glob("*/src/*/__init__.py")}


class FromSource(MetaPathFinder):
    """Finds the packages of SOURCES by their names."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        init = SOURCES.get(fullname)
        if init is None:
            return None
        return spec_from_file_location(fullname, init, submodule_search_locations=[str(init.parent)])


sys.meta_path.append(FromSource())
