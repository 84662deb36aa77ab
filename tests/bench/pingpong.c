/* The floor: lines of argv[1] bytes to a child and short lines back, argv[2] times, blocking.
   Prints the parent's CPU and the wall clock per round trip, in microseconds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static double cpu(void) {
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    return r.ru_utime.tv_sec + r.ru_stime.tv_sec + (r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e6;
}

static double wall(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
    int size = argc > 1 ? atoi(argv[1]) : 1000, count = argc > 2 ? atoi(argv[2]) : 20000;
    char *line = malloc(size), answer[64];
    int down[2], up[2];
    memset(line, 'x', size);
    line[size - 1] = '\n';
    if (pipe(down) || pipe(up)) return 1;
    if (fork() == 0) {
        int got, have = 0;
        close(down[1]);
        while ((got = read(down[0], line, size)) > 0) {
            if ((have += got) < size) continue;
            have = 0;
            if (write(up[1], "{\"type\":\"reply\",\"id\":1,\"action\":\"G11\"}\n", 40) < 0) break;
        }
        _exit(0);
    }
    double c = cpu(), w = wall();
    for (int i = 0; i < count; i++)
        if (write(down[1], line, size) < 0 || read(up[0], answer, sizeof answer) <= 0) return 1;
    printf("%.3f %.3f\n", (cpu() - c) / count * 1e6, (wall() - w) / count * 1e6);
    return 0;
}
