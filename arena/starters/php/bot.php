<?php

// mybot: a bot for the card arena. It always plays its lowest legal card.

declare(strict_types=1);

// ---- your idea -------------------------------------------------------------------------------------

/** Return one of $legal. SPEC.md describes $view, game by game. */
function choose(string $decision, array $legal, array $view): string
{
    usort($legal, fn(string $one, string $other): int => value($one) <=> value($other));
    return $legal[0];
}

/** The number of a card: 7 for G7. Words such as "chip" come last. */
function value(string $action): int
{
    $number = substr($action, 1);
    return ctype_digit($number) ? (int) $number : 99;
}

// ---- the wire: a line in, a line out -----------------------------------------------------------------

/** To debug, use fwrite(STDERR, …): standard output belongs to the referee. */
function say(array $message): void
{
    fwrite(STDOUT, json_encode($message) . "\n");
}

while (($line = fgets(STDIN)) !== false) {
    $message = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
    if ($message['type'] === 'hello') {
        say(['type' => 'ready', 'name' => 'mybot', 'language' => 'PHP']);
    } elseif ($message['type'] === 'request') {
        $action = choose($message['decision'], $message['legal'], $message['view']);
        say(['type' => 'reply', 'id' => $message['id'], 'action' => $action]);
    }
}
