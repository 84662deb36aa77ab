/* mybot: a bot for the card arena. It always plays its lowest legal card.
 *
 * No JSON library: a line of the referee is compact, its fields stand in the order of SPEC.md, and an action
 * is letters and digits. So a field is found by strstr(). */

#define _POSIX_C_SOURCE 200809L
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 16 }; /* room for an action, a card or a decision; a longer one would be cut */

/* Where the value of a field begins, "" if there is none. Look for those of the view behind `"view":`, since
 * events have a "seat" and a "hand" too. */
static const char *after(const char *line, const char *field)
{
    const char *found = strstr(line, field);
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

/* ---- your idea ----------------------------------------------------------------------------------- */

/* The number of a card: 7 for G7. Words such as "chip" come last. */
static long value(const char *action)
{
    char *end = NULL;
    long number = strtol(action + 1, &end, 10);
    return end > action + 1 && *end == '\0' ? number : LONG_MAX;
}

/* Sets `action` to one of the legal ones. SPEC.md describes a view, game by game. */
static void choose(const char *request, char action[TEXT])
{
    const char *legal = after(request, "\"legal\":[");
    char candidate[TEXT];
    next_text(&legal, action);
    while (next_text(&legal, candidate))
        if (value(candidate) < value(action))
            memcpy(action, candidate, TEXT);
}

/* ---- the wire: a line in, a line out --------------------------------------------------------------- */

int main(void)
{
    char *line = NULL;
    size_t size = 0;
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* flush every line; debugging goes to stderr */
    while (getline(&line, &size, stdin) > 0) {
        if (strstr(line, "\"type\":\"hello\"")) {
            puts("{\"type\":\"ready\",\"name\":\"mybot\",\"language\":\"C\"}");
        } else if (strstr(line, "\"type\":\"request\"")) {
            char action[TEXT] = "";
            choose(line, action);
            printf("{\"type\":\"reply\",\"id\":%ld,\"action\":\"%s\"}\n", atol(after(line, "\"id\":")), action);
        }
    }
    free(line);
    return 0;
}
