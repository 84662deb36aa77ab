# Plays legal[0] by Perl's forks, pipes, sockets and locks, and by its threads where it was built with them.
use strict;
use warnings;
use Config;
use Fcntl qw(:flock);
use IO::Handle;
use IPC::Open2;
use JSON::PP;
use POSIX qw(setsid);
use Socket;
use Time::HiRes qw(ualarm);

if ($Config{useithreads}) {
    require threads;
    require Thread::Queue;
    my $queue = Thread::Queue->new;
    my @threads = map { threads->create(sub { $queue->enqueue(1); 7 }) } 1 .. 4;
    $_->join == 7 or die 'threads' for @threads;
    $queue->pending == 4 or die 'Thread::Queue';
}
pipe(my $reading, my $writing) or die;
for (1 .. 3) {
    my $pid = fork // die;
    if (!$pid) { setsid(); syswrite $writing, "a\n"; POSIX::_exit(0) }
    waitpid($pid, 0) == $pid or die 'waitpid';
}
close $writing;
(() = <$reading>) == 3 or die 'pipe';
open(my $lock, '>', '/tmp/lock') or die;
flock($lock, LOCK_EX) or die "flock: $!";
my $rung = 0;
local $SIG{ALRM} = sub { $rung = 1 };
ualarm(1000);
select(undef, undef, undef, 5) until $rung;
`printf 'b\na\n' | sort` eq "a\nb\n" or die 'backticks';

# An engine that stays, and one that only talks by a socket.
my $engine = open2(my $from, my $to, 'cat');
$to->autoflush(1);
socketpair(my $ours, my $theirs, AF_UNIX, SOCK_STREAM, PF_UNSPEC) or die;
my $chooser = fork // die;
if (!$chooser) {
    close $ours;
    $theirs->autoflush(1);
    while (my $line = <$theirs>) { print $theirs decode_json($line)->[0], "\n" }
    POSIX::_exit(0);
}
close $theirs;
$ours->autoflush(1);

$| = 1;
while (my $line = <STDIN>) {
    my $message = decode_json($line);
    if ($message->{type} eq 'hello') {
        print encode_json({type => 'ready', name => 'forks'}), "\n";
    }
    elsif ($message->{type} eq 'request') {
        print $ours encode_json($message->{legal}), "\n";
        print $to scalar <$ours>;
        chomp(my $action = <$from>);
        print encode_json({type => 'reply', id => $message->{id}, action => $action}), "\n";
    }
}
