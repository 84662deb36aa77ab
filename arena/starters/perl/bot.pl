# mybot: a bot for the card arena. It always plays its lowest legal card.

use strict;
use warnings;
use JSON::PP;

# ---- your idea -------------------------------------------------------------------------------------

# Return one of @$legal. SPEC.md describes $view, game by game.
sub choose {
    my ($decision, $legal, $view) = @_;
    my ($lowest) = sort { value($a) <=> value($b) } @$legal;
    return $lowest;
}

# The number of a card: 7 for G7. Words such as "chip" come last.
sub value {
    my ($action) = @_;
    return $action =~ /^[A-Z](\d+)$/ ? $1 : 99;
}

# ---- the wire: a line in, a line out -----------------------------------------------------------------

# To debug, use warn: standard output belongs to the referee.
sub say_json {
    my (%message) = @_;
    print encode_json(\%message), "\n";
}

$| = 1;    # flush every line
while (my $line = <STDIN>) {
    my $message = decode_json($line);
    if ($message->{type} eq 'hello') {
        say_json(type => 'ready', name => 'mybot', language => 'Perl');
    }
    elsif ($message->{type} eq 'request') {
        my $action = choose(@$message{qw(decision legal view)});
        say_json(type => 'reply', id => $message->{id}, action => $action);
    }
}
