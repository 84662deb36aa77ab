"""What people see of a match while it is played or looked back on, but for the files of a report.

show/       positions, stories and steps, for every screen and page
person/     a person's seat, whatever screen shows it
terminal/   a match in a terminal
web/        a match in a browser
"""
