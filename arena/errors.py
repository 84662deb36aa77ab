"""The one class of errors that are a user's to mend."""


class UserError(Exception):
    """Printed as one line, which names the place and the way out; the command exits with 2."""
