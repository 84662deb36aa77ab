/* Plays legal[0] by POSIX threads, OpenMP, semaphores of all kinds, shared memory, timers and processes. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define MUST(held) do { if (!(held)) { perror(#held); exit(3); } } while (0)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static int total;
static char line[1 << 16], *wanted, *chosen;
static volatile sig_atomic_t rung;

static void *add(void *unused) {
    pthread_barrier_wait(&barrier);
    pthread_mutex_lock(&lock);
    total++;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *choose(void *unused) {
    for (pthread_mutex_lock(&lock);;) {
        while (!wanted) pthread_cond_wait(&changed, &lock);
        chosen = strstr(wanted, "\"legal\":[\"") + 10;
        wanted = NULL;
        pthread_cond_broadcast(&changed);
    }
    return unused;
}

static void *tick(void *unused) {
    for (;;) usleep(5000);
    return unused;
}

static void ring(int unused) { rung = unused; }

static int summed(int count) {
    int sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(dynamic)
    for (int i = 0; i < count; i++) sum += i;
    return sum;
}

static void prepare(void) {
    pthread_t threads[8];
    pthread_barrier_init(&barrier, NULL, 8);
    for (int i = 0; i < 8; i++) MUST(!pthread_create(&threads[i], NULL, add, NULL));
    for (int i = 0; i < 8; i++) pthread_join(threads[i], NULL);
    MUST(total == 8);
    MUST(summed(1000) == 499500);

    int memory = shm_open("/bot", O_CREAT | O_RDWR, 0600);
    MUST(memory >= 0 && !ftruncate(memory, 4096));
    sem_t *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    MUST(shared != MAP_FAILED && !sem_init(shared, 1, 0));
    sem_t *named = sem_open("/bot", O_CREAT, 0600, 0);
    MUST(named != SEM_FAILED);
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        MUST(child >= 0);
        if (!child) {
            setsid();
            sem_post(shared);
            sem_post(named);
            _exit(0);
        }
        sem_wait(shared);
        sem_wait(named);
        MUST(waitpid(child, NULL, 0) == child);
    }
    char *argv[] = {"true", NULL}, *environment[] = {NULL};
    pid_t spawned;
    int status;
    MUST(!posix_spawnp(&spawned, "true", NULL, NULL, argv, environment));
    MUST(waitpid(spawned, &status, 0) == spawned && !status);
    FILE *piped = popen("echo 7", "r");
    MUST(piped && fgetc(piped) == '7');
    pclose(piped);

    int file = open("/tmp/lock", O_CREAT | O_RDWR, 0600), poll = epoll_create1(0);
    struct flock range = {.l_type = F_WRLCK};
    MUST(!flock(file, LOCK_EX) && !fcntl(file, F_SETLK, &range) && !lockf(file, F_LOCK, 0));
    uint64_t one = 1;
    int event = eventfd(0, 0), timer = timerfd_create(CLOCK_MONOTONIC, 0);
    struct itimerspec soon = {.it_value.tv_nsec = 1000000};
    struct epoll_event found = {.events = EPOLLIN};
    MUST(!timerfd_settime(timer, 0, &soon, NULL) && !epoll_ctl(poll, EPOLL_CTL_ADD, timer, &found));
    MUST(epoll_wait(poll, &found, 1, 5000) == 1);
    MUST(write(event, &one, 8) == 8 && read(event, &one, 8) == 8);
    signal(SIGALRM, ring);
    struct itimerval alarm = {.it_value.tv_usec = 1000};
    MUST(!setitimer(ITIMER_REAL, &alarm, NULL));
    while (!rung) usleep(1000);

    cpu_set_t core;
    CPU_ZERO(&core);
    CPU_SET(sched_getcpu(), &core);
    MUST(!sched_setaffinity(0, sizeof core, &core));
    struct sched_param idle = {0};
    MUST(!pthread_setschedparam(pthread_self(), SCHED_BATCH, &idle));
    nice(1);
}

int main(void) {
    prepare();
    pthread_t chooser, clock;
    MUST(!pthread_create(&chooser, NULL, choose, NULL) && !pthread_create(&clock, NULL, tick, NULL));
    while (fgets(line, sizeof line, stdin)) {
        if (strstr(line, "\"type\":\"request\"")) {
            MUST(summed(100) == 4950);
            pthread_mutex_lock(&lock);
            for (chosen = NULL, wanted = line, pthread_cond_broadcast(&changed); !chosen;)
                pthread_cond_wait(&changed, &lock);
            pthread_mutex_unlock(&lock);
            printf("{\"type\":\"reply\",\"id\":%ld,\"action\":\"%.*s\"}\n", atol(strstr(line, "\"id\":") + 5),
                   (int)strcspn(chosen, "\""), chosen);
        } else if (strstr(line, "\"type\":\"hello\"")) {
            puts("{\"type\":\"ready\",\"name\":\"threads\"}");
        }
        fflush(stdout);
    }
    return 0;
}
