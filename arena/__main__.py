"""The `arena` command, and `python -m arena`: what hears a Ctrl-C stands before anything else is loaded."""

from arena.system.leaving import leave_at_once

leave_at_once()

from arena.system.interruption import hear  # noqa: E402

hear()


def main() -> None:
    from arena.cli import main as command  # noqa: PLC0415

    command()


if __name__ == "__main__":
    main()
