/* mybot: a bot that thinks. In Sticheln it imagines the cards that it cannot see, plays each of its own
 * out against them, and plays the one that did best. In other games it plays its lowest legal card.
 *
 * To use it, let bot.toml name thinking.c in place of bot.c. JSON is read as there: by strstr(). */

#define _POSIX_C_SOURCE 200809L
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    TEXT = 16,    /* room for an action or a card; a longer one would be cut */
    CARDS = 96,   /* room for a deck */
    SEATS = 8,
    DEALS = 1000, /* deals imagined for a decision, at most */
    SHARE = 4     /* a decision takes a quarter of its time; the rest is a reserve */
};

typedef struct {
    char text[TEXT];
    char suit;
    int value; /* 7 of G7; words such as "chip" come last */
} Card;

typedef struct {
    Card card[CARDS];
    int count;
} Cards;

/* What is known before a card is played. */
typedef struct {
    int seats, seat, leader;
    Cards pain, trick;
} View;

static bool sticheln;
static long decision_ms;
static Cards deck;

/* ---- reading JSON ---------------------------------------------------------------------------------- */

/* Where the value of a field begins, "" if there is none. */
static const char *after(const char *json, const char *field)
{
    const char *found = strstr(json, field);
    return found ? found + strlen(field) : "";
}

/* Reads the next text of a list, such as `"G7","chip"]`, and moves `at` past it. False at the list's end. */
static bool next_text(const char **at, char text[TEXT])
{
    int length = 0;
    if (sscanf(*at, "\"%15[^\"]\"%n", text, &length) != 1 || length == 0)
        return false;
    *at += length;
    *at += **at == ',';
    return true;
}

/* The cards, or other actions, of a list. */
static Cards cards(const char *list)
{
    Cards found = {.count = 0};
    while (found.count < CARDS && next_text(&list, found.card[found.count].text)) {
        Card *card = &found.card[found.count++];
        char *end = NULL;
        card->suit = card->text[0];
        card->value = (int)strtol(card->text + 1, &end, 10);
        if (end == card->text + 1 || *end != '\0')
            card->value = INT_MAX;
    }
    return found;
}

/* The cards of the other seats: those of the deck that the view does not show anywhere. */
static Cards hidden_cards(const char *view)
{
    Cards hidden = {.count = 0};
    for (int i = 0; i < deck.count; i++) {
        char quoted[TEXT + 2];
        snprintf(quoted, sizeof quoted, "\"%s\"", deck.card[i].text);
        if (strstr(view, quoted) == NULL)
            hidden.card[hidden.count++] = deck.card[i];
    }
    return hidden;
}

/* ---- chance and time --------------------------------------------------------------------------------- */

static unsigned long long chance = 1; /* the generator of Park and Miller, which begins with the seed of `hello` */

static void shuffle(Cards *cards)
{
    for (int i = cards->count - 1; i > 0; i--) {
        chance = chance * 48271 % 2147483647;
        int j = (int)(chance % (unsigned)(i + 1));
        Card card = cards->card[i];
        cards->card[i] = cards->card[j];
        cards->card[j] = card;
    }
}

static long now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- your idea ------------------------------------------------------------------------------------- */

/* The position of the card that takes a trick, -1 if none does: the highest not of the led suit, else the
 * highest; zeros never do. */
static int taking(const Cards *trick)
{
    int best = -1, best_power = 0;
    for (int at = 0; at < trick->count; at++) {
        const Card *card = &trick->card[at];
        int power = card->value + (card->suit == trick->card[0].suit ? 0 : 100);
        if (card->value > 0 && power > best_power) {
            best = at;
            best_power = power;
        }
    }
    return best;
}

/* My points in the rest of the deal, times the seats, less those of all seats, if I play `own` and the other
 * seats `hidden`, all in the order in which the cards lie. That order is random, so all play at random. */
static long gain(const View *view, const Cards *own, const Cards *hidden)
{
    long points[SEATS] = {0}, sum = 0;
    int leader = view->leader, mine = 0, theirs = 0;
    Cards trick = view->trick;
    for (int left = own->count; left > 0; left--, trick.count = 0) {
        while (trick.count < view->seats) {
            bool my_turn = (leader + trick.count) % view->seats == view->seat;
            trick.card[trick.count++] = my_turn ? own->card[mine++] : hidden->card[theirs++];
        }
        int at = taking(&trick);
        if (at >= 0) {
            leader = (leader + at) % view->seats;
            for (int i = 0; i < trick.count; i++) {
                bool hurts = trick.card[i].suit == view->pain.card[leader].suit;
                points[leader] += hurts ? -trick.card[i].value : 1;
            }
        }
    }
    for (int seat = 0; seat < view->seats; seat++)
        sum += points[seat];
    return points[view->seat] * view->seats - sum;
}

/* All cards are played out in the same imagined deals, so that luck does not choose between them. */
static int best_in_playouts(const Cards *legal, const char *json, long ms)
{
    long until = now_ms() + (ms < decision_ms ? ms : decision_ms) / SHARE;
    View view = {
        .seats = atoi(after(json, "\"seats\":")),
        .seat = atoi(after(json, "\"seat\":")),
        .leader = atoi(after(json, "\"leader\":")),
        .pain = cards(after(json, "\"pain\":[")),
        .trick = cards(after(json, "\"trick\":[")),
    };
    Cards hidden = hidden_cards(json), order = *legal;
    long total[CARDS] = {0};
    for (int deal = 0; deal < DEALS && now_ms() < until; deal++) {
        shuffle(&hidden);
        shuffle(&order);
        for (int i = 0; i < legal->count; i++) {
            Cards own = {.card = {legal->card[i]}, .count = 1};
            for (int j = 0; j < order.count; j++)
                if (strcmp(order.card[j].text, legal->card[i].text) != 0)
                    own.card[own.count++] = order.card[j];
            total[i] += gain(&view, &own, &hidden);
        }
    }
    int best = 0;
    for (int i = 1; i < legal->count; i++)
        if (total[i] > total[best])
            best = i;
    return best;
}

static int lowest(const Cards *legal)
{
    int lowest = 0;
    for (int i = 1; i < legal->count; i++)
        if (legal->card[i].value < legal->card[lowest].value)
            lowest = i;
    return lowest;
}

/* ---- the wire: a line in, a line out --------------------------------------------------------------- */

static void read_hello(const char *line)
{
    sticheln = strstr(line, "\"game\":\"sticheln\"") != NULL;
    decision_ms = atol(after(line, "\"decision_ms\":"));
    deck = cards(after(line, "\"deck\":["));
    chance = strtoull(after(line, "\"seed\":"), NULL, 10) % 2147483646 + 1; /* never 0, which would stay 0 */
}

static Card choose(const char *request)
{
    Cards legal = cards(after(request, "\"legal\":["));
    bool thinks = sticheln && strstr(request, "\"decision\":\"play\"") != NULL;
    long ms = atol(after(request, "\"ms\":"));
    return legal.card[thinks ? best_in_playouts(&legal, after(request, "\"view\":"), ms) : lowest(&legal)];
}

int main(void)
{
    char *line = NULL;
    size_t size = 0;
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* flush every line; debugging goes to stderr */
    while (getline(&line, &size, stdin) > 0) {
        if (strstr(line, "\"type\":\"hello\"")) {
            read_hello(line);
            puts("{\"type\":\"ready\",\"name\":\"mybot\",\"language\":\"C\"}");
        } else if (strstr(line, "\"type\":\"request\"")) {
            printf("{\"type\":\"reply\",\"id\":%ld,\"action\":\"%s\"}\n", atol(after(line, "\"id\":")),
                   choose(line).text);
        }
    }
    free(line);
    return 0;
}
