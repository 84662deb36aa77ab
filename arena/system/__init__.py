"""What every room needs of the system: untrusted text made harmless, durable files, untrusted files read, the
machine's limits, our two error classes. Knows nothing of games or bots.

    text.py      untrusted text made harmless
    wording.py   numbers and times for people
    lines.py     what processes share that talk in lines of JSON
    outputs.py   files and folders into which results are written
    files.py     files written atomically
    foreign.py   files of untrusted runs read
    trees.py     folders of strangers copied and deleted, by descriptor
    places.py    what a path is by its looks
    machine.py   limits of this machine, and what has run out
    processors.py  the cores and the CPU quota that we have
    mounts.py    whether a path is on a network file system
    shipped.py   sample bots and documents, wherever installed
    interruption.py  Ctrl-C and the like, from a command's first line on
    errors.py    a mistake of the user, and a machine that fails
"""
