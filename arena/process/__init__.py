"""A program as a child process, and the sandbox around it. Knows no games and no matches.

launch.py                the command of a bot, its folder, its environment
obstacle.py              why a program cannot be started: a kind, and a sentence
toolchains.py            interpreters and compilers as the user has installed them
walls.py                 the sandbox settings of a command
sandbox.py               the levels, and the command line that builds a sandbox
seccomp.py               the system calls that a sandbox refuses
spawn.py                 starts a bot
private.py               the copy from which a bot plays outside a sandbox
botprocess.py            a started bot: written to, read from, frozen, ended
stderr.py                what it writes to standard error
sandbox_init.py          the first process inside a sandbox
cgroup.py                a control group for each bot
tree.py                  the processes below a process, their memory and CPU time
watchdog.py, excess.py   too much memory, CPU time while frozen
cores.py, lag.py         free cores, and how late the machine wakes a process
interruptible.py         tasks that an interruption cancels
child.py                 a process of the arena's own, which exchanges lines with us
shared.py                work shared among such processes
reader.py                a confined process that reads files from strangers
elf.py                   whether this machine can execute a compiled program
prepare.py               makes a process independent of how it was started
keyring.py               hides the keys of the login from bots
"""
