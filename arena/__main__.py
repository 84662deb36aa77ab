"""The `arena` command, and `python -m arena`: a Ctrl-C that comes while the rest is still being loaded ends
it with a line, too.
"""

import os


def main() -> None:
    try:
        from arena.cli import main as command  # noqa: PLC0415
    except KeyboardInterrupt:
        os.write(2, b"arena: interrupted\n")
        os._exit(130)
    command()


if __name__ == "__main__":
    main()
