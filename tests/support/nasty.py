"""A bot whose every text is the same text of a stranger."""

import json

from tests.support.programs import Program


def nasty(text: str) -> Program:
    """Its captions, its notes, its last words on both outputs are all this text."""
    ready = json.dumps({"type": "ready", "name": text, "version": text, "author": text, "language": text})
    return Program(
        before=f"text = {text!r}\nsay({ready!r})\nsys.stdin.readline()",
        asked=(
            "answer = json.dumps({'type': 'reply', 'id': m['id'], 'action': m['legal'][0], 'note': text})\n"
            "if m['id'] == 5:\n    print(text, file=sys.stderr)\n    answer = '!' + text"
        ),
    )
