/* The fastest bot: answers legal[0] to every request, found as SPEC.md allows, by searching the text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    static char line[1 << 16];
    while (fgets(line, sizeof line, stdin)) {
        if (strstr(line, "\"type\":\"request\"")) {
            long id = atol(strstr(line, "\"id\":") + 5);
            char *action = strstr(line, "\"legal\":[\"") + 10;
            printf("{\"type\":\"reply\",\"id\":%ld,\"action\":\"%.*s\"}\n", id, (int)strcspn(action, "\""), action);
        } else if (strstr(line, "\"type\":\"hello\"")) {
            puts("{\"type\":\"ready\",\"name\":\"echo.c\"}");
        }
        fflush(stdout);
    }
    return 0;
}
