use strict;
use warnings;
use JSON::PP;

$| = 1;
my $json = JSON::PP->new->utf8->canonical;

sub say_line {
    my ($message) = @_;
    print $json->encode($message), "\n";
}

sub choose {
    my ($request) = @_;
    return $request->{legal}[0];
}

while (my $line = <STDIN>) {
    my $message = $json->decode($line);
    if ($message->{type} eq 'hello') {
        say_line({ type => 'ready', name => 'mybot' });
    }
    elsif ($message->{type} eq 'request') {
        my $action = choose($message);
        say_line({ type => 'reply', id => $message->{id}, action => $action });
    }
}
