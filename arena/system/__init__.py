"""What every room needs of the system: sanitised text, durable files, reading untrusted files, the machine's
limits, our two error classes. Knows nothing of games or bots.

    text.py      sanitises untrusted text
    wording.py   numbers and times for people
    lines.py     shared code of processes that exchange lines of JSON
    outputs.py   files and folders for results
    files.py     writes files atomically
    foreign.py   reads files of untrusted runs
    trees.py     copies and deletes folders of strangers, by descriptor
    places.py    recognises tournaments, leagues, logs and pages
    machine.py   limits of this machine, and what has run out
    processors.py  the available cores and CPU quota
    mounts.py    whether a path is on a network file system
    shipped.py   sample bots and documents, wherever installed
    temporary.py    folders that go with their process
    leaving.py      the first handler of Ctrl-C, until interruption.py is loaded
    interruption.py  Ctrl-C, SIGTERM and SIGHUP, from a command's first line on
    errors.py    the errors of the user and of the machine
"""
