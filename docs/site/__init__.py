"""The documentation site, from the documents of the repository and from what the program says of itself.

    pages.py      every page, and the navigation
    commands.py   a page for each command
    modules.py    a page for each public module
    programs.py   what programs that write bots read
    conf.py       how Sphinx makes HTML of it

`python -m docs.site FOLDER` builds it. Nothing of the arena imports it.
"""
