#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char line[65536];
static char action[16];

static void choose(const char *request)
{
    const char *first = strstr(request, "\"legal\":[\"") + strlen("\"legal\":[\"");
    sscanf(first, "%15[^\"]", action);
}

int main(void)
{
    while (fgets(line, sizeof line, stdin)) {
        if (strstr(line, "\"type\":\"hello\"")) {
            printf("{\"type\":\"ready\",\"name\":\"mybot\"}\n");
            fflush(stdout);
        } else if (strstr(line, "\"type\":\"request\"")) {
            int id = atoi(strstr(line, "\"id\":") + strlen("\"id\":"));
            choose(line);
            printf("{\"type\":\"reply\",\"id\":%d,\"action\":\"%s\"}\n", id, action);
            fflush(stdout);
        }
    }
    return 0;
}
