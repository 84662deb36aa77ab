"""The laws that every game keeps, as a tool for the authors of games.

    told.py     what a seat is told, and where two tellings differ
    trial.py    a variant of a game, and a random match of it: what a law looks at
    rules.py    laws of play: legal actions, deals, outcomes, the same bytes again
    words.py    laws of texts: views, events, JSON
    secrets.py  laws of hidden cards: where cards lie, what a seat can tell, what is imagined
    house.py    the law that the arena's own bots can play
    learners.py the law that learners get all of a view
    judge.py    all laws, what they find, and that in lines
    second.py   the law that a second telling of the rules agrees
    apart.py    the laws in a process of their own; twin.py a match in another one

    pytest_plugin.py, strategies.py    for the tests of a game, with pytest and hypothesis

A law is a function. Its name and the first sentence of its docstring are what an author reads. Knows no
command; this module imports nothing, since pytest loads the plug-in of this room whenever it starts.
"""
