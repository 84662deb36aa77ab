/* The fastest bot: answers legal[0] to every request, found as SPEC.md allows, by searching the text.
   THREADED: with a second thread, which only waits. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef THREADED
#include <unistd.h>
static void *wait_for_ever(void *nothing) {
    for (;;) pause();
    return nothing;
}
#endif

int main(void) {
    static char line[1 << 16];
#ifdef THREADED
    pthread_t thread;
    if (pthread_create(&thread, NULL, wait_for_ever, NULL)) return 1;
#endif
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
