"""What a seat's decisions in a logged match cost, judged only by what the seat could know.

choices.py   the decisions in a log in which a seat had a choice
judge.py     what a choice cost, by playouts from imagined deals
judged.py    choices with their costs, and sums of them
"""
