# Dreamer: deals the hidden cards at random, again and again, and sees how this one trick would end.
#
# The lesson: what cannot be known can be sampled. No formula for the chance to be beaten, no table of odds:
# forty dreams of the next few cards are quickly had, and the card that does best in them on average is
# played. All cards are tried in the same dreams, so that luck does not choose between them; and all chance
# comes from the seed in `hello`, so that a dream can be had twice.
#
# Sticheln, David & Goliath: what the trick brings me, less what it brings another seat.
# Olé!: the card that the next seat can answer least often; better any card than a chip.
#
# Core modules only. $| = 1 flushes every line: an unflushed line is a line that nobody reads.

use strict;
use warnings;
use JSON::PP;
use List::Util qw(first max sum0);

$| = 1;

use constant DREAMS => 40;
my %ORDER = (red => 'YGBR', yellow => 'RBGY');    # Olé!: the colour on top, and all from low to high
my $json = JSON::PP->new->canonical;
my ($hello, $number);

sub suit  { substr $_[0], 0, 1 }
sub value { substr $_[0], 1 }

# Park and Miller's minimal standard: the same seed gives the same numbers, in every language.
sub below { $number = $number * 48271 % 2147483647; return $number % $_[0] }

sub shuffled {
    my @items = @_;
    for my $i (reverse 1 .. $#items) {
        my $j = below($i + 1);
        @items[$i, $j] = @items[$j, $i];
    }
    return @items;
}

# Every card of the deck that I neither hold nor have seen lies in another hand.
sub hidden {
    my ($view) = @_;
    my @tricks = map { @{ $_->{cards} } } @{ $view->{tricks} // [] };
    my @plays  = map { $_->{action} } @{ $view->{plays} // [] };
    my %seen   = map { $_ => 1 } @{ $view->{hand} }, @{ $view->{pain} // [] }, @{ $view->{trick} // [] }, @tricks, @plays;
    return grep { !$seen{$_} } @{ $hello->{deck} };
}

# The action that does best on average; in each dream $worth tells an action's worth from the hidden cards.
sub best_dreamt {
    my ($view, $legal, $worth) = @_;
    my @hidden = hidden($view);
    my %total;
    for (1 .. DREAMS) {
        my @dream = shuffled(@hidden);
        $total{$_} += $worth->($_, @dream) for @$legal;
    }
    my $best = max(values %total);
    my $action = first { $total{$_} == $best } @$legal;
    return ($action, sprintf 'worth %.1f in my dreams', $best / DREAMS);
}

# The trick with my card, and for each seat still to play a card of its dreamt hand: the first that it may.
sub dreamt_trick {
    my ($view, $card, $follow, @dream) = @_;
    my @trick = (@{ $view->{trick} }, $card);
    while (@trick < $view->{seats}) {
        my @hand = splice @dream, 0, scalar @{ $view->{hand} };
        my $may = $follow && first { suit($_) eq suit($trick[0]) } @hand;
        push @trick, $may || $hand[0];
    }
    return @trick;
}

# What a change for a seat is worth to me: all of it, or my share of what another one loses.
sub for_me {
    my ($view, $position, $points) = @_;
    my $seat = ($view->{leader} + $position) % $view->{seats};
    return $seat == $view->{seat} ? $points : -$points / ($view->{seats} - 1);
}

sub seat_at { my ($view, $position) = @_; return ($view->{leader} + $position) % $view->{seats} }

sub sticheln {
    my ($view, $legal) = @_;
    return best_dreamt($view, $legal, sub {
        my ($card, @dream) = @_;
        my @trick  = dreamt_trick($view, $card, 0, @dream);
        my @powers = map { value($_) && value($_) + (suit($_) ne suit($trick[0]) && 100) } @trick;
        my $top    = max(@powers);
        my $at     = first { $powers[$_] == $top } 0 .. $#powers;
        my $hurts  = suit($view->{pain}[seat_at($view, $at)]);
        return for_me($view, $at, sum0(map { suit($_) eq $hurts ? -value($_) : 1 } @trick));
    });
}

sub cheapest {
    my ($view, $legal) = @_;
    my ($action) = sort { value($a) <=> value($b) } @$legal;
    return ($action, 'what hurts least for sure');
}

sub david_and_goliath {
    my ($view, $legal) = @_;
    return best_dreamt($view, $legal, sub {
        my ($card, @dream) = @_;
        my @trick = dreamt_trick($view, $card, 1, @dream);
        my ($low, @rising) = sort { value($trick[$a]) <=> value($trick[$b]) || $b <=> $a } 0 .. $#trick;
        my $top   = max(map { value($_) } @trick);
        my $high  = first { value($trick[$_]) == $top } reverse 0 .. $#trick;
        $low = $rising[0] if $low == $high;    # all equal: the high card is looked for first
        my @rest = map { $trick[$_] } grep { $_ != $high } 0 .. $#trick;
        return for_me($view, $low, added($view, $low, $trick[$high])) + for_me($view, $high, added($view, $high, @rest));
    });
}

sub added {
    my ($view, $position, @cards) = @_;
    my $pile = $view->{won}[seat_at($view, $position)];
    return pile_points(@$pile, @cards) - pile_points(@$pile);
}

sub pile_points {
    my %values;
    push @{ $values{ suit($_) } }, value($_) for @_;
    return sum0(map { @$_ < 3 ? sum0(@$_) : scalar @$_ } values %values);
}

sub ole {
    my ($view, $legal) = @_;
    my @cards = grep { $_ ne 'chip' } @$legal or return ('chip', 'nothing outranks the table');
    my $order = $ORDER{ $view->{top} };
    my $size  = $view->{sizes}[($view->{seat} + 1) % $view->{seats}];
    return best_dreamt($view, \@cards, sub {
        my ($card, @dream) = @_;
        my $height = index $order, suit($card);
        my @answers = grep { value($_) > value($card) || index($order, suit($_)) > $height } @dream[0 .. $size - 1];
        return -@answers;
    });
}

sub no_idea { my ($view, $legal) = @_; return ($legal->[0], 'a game I do not know') }

my $trick_game = { pain => \&cheapest, play => \&sticheln };
my %IDEAS = (    # game -> decision -> idea
    'sticheln'          => $trick_game,
    'sticheln-1993'     => $trick_game,
    'david-and-goliath' => { play => \&david_and_goliath },
    'ole'               => { play => \&ole },
);

sub say_line { print $json->encode({@_}), "\n" }

while (my $line = <STDIN>) {
    my $message = $json->decode($line);
    if ($message->{type} eq 'hello') {
        $hello  = $message;
        $number = $hello->{seed} % 2147483646 + 1;    # never 0: that would stay 0
        say_line(type => 'ready', name => 'dreamer', version => '1', language => 'Perl');
    }
    elsif ($message->{type} eq 'request') {
        my $idea = ($IDEAS{ $hello->{game} } || {})->{ $message->{decision} } || \&no_idea;
        my ($action, $why) = $idea->($message->{view}, $message->{legal});
        say_line(type => 'reply', id => $message->{id}, action => $action, note => $why);
    }
}
