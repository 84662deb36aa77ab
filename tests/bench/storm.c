/* Answers legal[0] like echo.c; what it is called with says what it leaves behind, or begins, for the time in
 * which it is stopped. `calm` is nothing. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define TCP_RTO_MAX_MS 44
#define BIG (64L << 20)
#define SOCKETS 110 /* pairs of a process, which may have 256 files */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void nothing(void) {}

/* So many processes, in sessions of their own, that do it for ever. Returns once all have begun. */
static void each(int count, void (*work)(void)) {
    int begun[2];
    if (pipe(begun)) exit(3);
    for (int i = 0; i < count; i++)
        if (!fork()) {
            setsid();
            close(begun[0]);
            if (write(begun[1], "", 1) != 1) _exit(3);
            close(begun[1]);
            for (;;) work();
        }
    close(begun[1]);
    for (char byte; read(begun[0], &byte, 1) == 1;) {}
    close(begun[0]);
}

static void *paused(void *unused) {
    for (;;) pause();
    return unused;
}

static void *waking(void *unused) {
    for (pthread_mutex_lock(&lock);; pthread_cond_wait(&changed, &lock)) pthread_cond_broadcast(&changed);
    return unused;
}

static void threads(int count, void *(*work)(void *)) {
    pthread_attr_t small;
    pthread_t thread;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 1 << 16);
    for (int i = 0; i < count; i++) pthread_create(&thread, &small, work, NULL);
}

static void *fresh(long bytes) {
    char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) exit(3);
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    for (long at = 0; at < bytes; at += 4096) memory[at] = 1;
    return memory;
}

static void spin(void) {
    for (;;) __asm__ volatile("");
}
static void sleeping(void) { pause(); }
static void forking(void) {
    if (!fork()) _exit(0);
    wait(NULL);
}
static void touching(void) {
    static char *memory;
    if (!memory) memory = fresh(4 << 20);
    madvise(memory, 4 << 20, MADV_DONTNEED);
    for (long at = 0; at < 4 << 20; at += 4096) memory[at] = 1;
}

static int ring[2];
static void caught(int unused) { (void)unused; }
static void passing(void) {
    char byte;
    signal(SIGUSR1, caught);
    if (read(ring[0], &byte, 1) != 1 || write(ring[1], &byte, 1) != 1) usleep(1000);
    kill(getppid(), SIGURG);
    raise(SIGUSR1);
}

/* Connections of a process with itself. */
static int pairs[SOCKETS][2];
static void connect_all(void) {
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof here;
    int listening = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listening, (struct sockaddr *)&here, size) || listen(listening, SOCKETS)) _exit(3);
    getsockname(listening, (struct sockaddr *)&here, &size);
    for (int i = 0; i < SOCKETS; i++) {
        pairs[i][0] = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(pairs[i][0], (struct sockaddr *)&here, size)) _exit(3);
        pairs[i][1] = accept(listening, NULL, NULL);
        for (int end = 0; end < 2; end++) fcntl(pairs[i][end], F_SETFL, O_NONBLOCK);
    }
}
static void full_sockets(void) {
    static char data[1 << 16];
    int small = 1, one = 1, ms = 1000;
    connect_all();
    for (int i = 0; i < SOCKETS; i++)
        for (int end = 0; end < 2; end++) {
            setsockopt(pairs[i][end], SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
            setsockopt(pairs[i][end], IPPROTO_TCP, TCP_RTO_MAX_MS, &ms, sizeof ms);
            setsockopt(pairs[i][end], IPPROTO_TCP, TCP_THIN_LINEAR_TIMEOUTS, &one, sizeof one);
            while (write(pairs[i][end], data, sizeof data) > 0) {}
        }
    pause();
}
static void live_sockets(void) {
    int one = 1;
    connect_all();
    for (int i = 0; i < SOCKETS; i++)
        for (int end = 0; end < 2; end++) {
            setsockopt(pairs[i][end], SOL_SOCKET, SO_KEEPALIVE, &one, sizeof one);
            setsockopt(pairs[i][end], IPPROTO_TCP, TCP_KEEPIDLE, &one, sizeof one);
            setsockopt(pairs[i][end], IPPROTO_TCP, TCP_KEEPINTVL, &one, sizeof one);
        }
    pause();
}
static void paced_sockets(void) {
    static char data[1 << 16];
    connect_all();
    for (int i = 0; i < SOCKETS; i++)
        for (int end = 0; end < 2; end++) {
            setsockopt(pairs[i][end], IPPROTO_TCP, TCP_CONGESTION, "bbr", 3);
            while (write(pairs[i][end], data, sizeof data) > 0) {}
        }
    pause();
}
static void unanswered_sockets(void) {
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof here;
    int listening = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listening, (struct sockaddr *)&here, size) || listen(listening, 0)) _exit(3);
    getsockname(listening, (struct sockaddr *)&here, &size);
    for (int i = 0; i < 2 * SOCKETS; i++)
        connect(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), (struct sockaddr *)&here, size);
    pause();
}

static void thirty_helpers(void) { each(30, spin); }
static void sleepers(void) { each(200, sleeping); }
static void pausing_threads(void) { threads(200, paused); }
static void forks(void) { each(30, forking); }
static void page_faults(void) { each(20, touching); }
static void futexes(void) { threads(100, waking); }
static void pipes(void) {
    signal(SIGURG, SIG_IGN);
    if (pipe(ring) || write(ring[1], "12345678", 8) != 8) exit(3);
    each(40, passing);
}
static void full(void) { each(200, full_sockets), sleep(2); }
static void live(void) { each(200, live_sockets), sleep(2); }
static void paced(void) { each(200, paced_sockets), sleep(2); }
static void unanswered(void) { each(200, unanswered_sockets), sleep(1); }

/* Just before it answers. */
static void end_a_child(void) {
    static pid_t child;
    int ready[2];
    char byte;
    pid_t before = child;
    if (pipe(ready)) exit(3);
    if (!(child = fork())) {
        fresh(BIG);
        if (write(ready[1], "", 1) != 1) _exit(3);
        for (;;) pause();
    }
    close(ready[1]);
    if (read(ready[0], &byte, 1) != 1) exit(3);
    close(ready[0]);
    if (before) kill(before, SIGKILL), waitpid(before, NULL, WNOHANG);
}
/* What thirty helpers do in its turn, with none of them left when it answers. */
static void ended_helpers(void) {
    pid_t helpers[30];
    for (int i = 0; i < 30; i++)
        if (!(helpers[i] = fork()))
            spin();
    for (int i = 0; i < 30; i++) kill(helpers[i], SIGKILL), waitpid(helpers[i], NULL, 0);
}
static void sweep_memory(void) {
    static char *memory;
    if (!memory) memory = fresh(BIG);
    memset(memory, 1, BIG);
}
static void close_many(void) {
    for (int round = 0; round < 50; round++) {
        int open[200];
        for (int i = 0; i < 200; i++) open[i] = socket(AF_UNIX, SOCK_STREAM, 0);
        for (int i = 0; i < 200; i++) close(open[i]);
    }
}

static const struct {
    const char *name;
    void (*begin)(void), (*turn)(void);
} STORMS[] = {
    {"calm", nothing, nothing},
    {"thirty helpers", thirty_helpers, nothing},
    {"thirty helpers, ended", nothing, ended_helpers},
    {"200 sleeping processes", sleepers, nothing},
    {"200 sleeping threads", pausing_threads, nothing},
    {"forks", forks, nothing},
    {"pipes and signals", pipes, nothing},
    {"page faults and madvise", page_faults, nothing},
    {"futex wakes", futexes, nothing},
    {"memory bandwidth", nothing, sweep_memory},
    {"a large child ends", nothing, end_a_child},
    {"10,000 sockets closed", nothing, close_many},
    {"TCP, full", full, nothing},
    {"TCP, kept alive", live, nothing},
    {"TCP, paced", paced, nothing},
    {"TCP, unanswered", unanswered, nothing},
};

int main(int count, char **words) {
    static char line[1 << 16];
    size_t storm = 0;
    while (count > 1 && strcmp(STORMS[storm].name, words[1]))
        if (++storm == sizeof STORMS / sizeof *STORMS) return 2;
    STORMS[storm].begin();
    while (fgets(line, sizeof line, stdin)) {
        if (strstr(line, "\"type\":\"request\"")) {
            char *action = strstr(line, "\"legal\":[\"") + 10;
            STORMS[storm].turn();
            printf("{\"type\":\"reply\",\"id\":%ld,\"action\":\"%.*s\"}\n", atol(strstr(line, "\"id\":") + 5),
                   (int)strcspn(action, "\""), action);
        } else if (strstr(line, "\"type\":\"hello\"")) {
            puts("{\"type\":\"ready\",\"name\":\"storm\"}");
        }
        fflush(stdout);
    }
    return 0;
}
