/* A bot that plays the first legal action and at its fifth request attacks: `attacks NAME`. Whatever it does,
   the match goes on or it forfeits: see test_attacks.py. `attacks` alone lists the names, those in a sandbox
   only with a `!`, since outside they would hit whoever runs the tests. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STACK (1 << 16)
static char middle_stack[STACK], leaf_stack[STACK];
static int number;

static void naps(double seconds) {
    struct timespec left = {(time_t)seconds, (long)((seconds - (time_t)seconds) * 1e9)};
    while (nanosleep(&left, &left)) {}
}
static void said(const char *path, const char *text) {
    int file = open(path, O_WRONLY | O_NONBLOCK);
    if (file >= 0) {
        if (write(file, text, strlen(text)) < 0) errno = 0;
        close(file);
    }
}
static int leaf(void *nothing) { _exit(0); }
static int middle(void *nothing) {
    for (int i = 0; i < 200; i++) clone(leaf, leaf_stack + STACK, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
    _exit(0);
}
/* Gives the first process much to do: it is the one that waits for orphans. */
static void orphans(double seconds) {
    struct timespec begun, now;
    clock_gettime(CLOCK_MONOTONIC, &begun);
    do {
        int pid = clone(middle, middle_stack + STACK, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
        if (pid > 0) waitpid(pid, NULL, 0);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (now.tv_sec - begun.tv_sec + (now.tv_nsec - begun.tv_nsec) / 1e9 < seconds);
}

/* The first process inside. */
static void limits_of_1(void) {
    struct rlimit none = {0, 0};
    for (int which = 0; which < RLIM_NLIMITS; which++) syscall(SYS_prlimit64, 1, which, &none, NULL);
    orphans(1.5);
}
static void cpu_of_1(void) {
    struct rlimit none = {0, 0};
    syscall(SYS_prlimit64, 1, RLIMIT_CPU, &none, NULL);
    orphans(1.5);
}
static void signals_to_1(void) {
    int first = syscall(SYS_pidfd_open, 1, 0);
    siginfo_t told = {.si_code = SI_QUEUE};
    for (int which = 1; which < 65; which++) {
        told.si_signo = which;
        kill(1, which);
        syscall(SYS_tkill, 1, which);
        syscall(SYS_tgkill, 1, 1, which);
        syscall(SYS_pidfd_send_signal, first, which, NULL, 0);
        syscall(SYS_rt_sigqueueinfo, 1, which, &told);
        syscall(SYS_rt_tgsigqueueinfo, 1, 1, which, &told);
    }
    naps(0.1);
}
static void kills_all(void) { kill(-1, SIGKILL); naps(0.1); }
static void stops_all(void) { kill(-1, SIGSTOP); naps(0.1); }
static void kills_group(void) { kill(0, SIGKILL); }
static void traces_1(void) {
    ptrace(PTRACE_SEIZE, 1, 0, 0);
    ptrace(PTRACE_ATTACH, 1, 0, 0);
    char byte = 0;
    struct iovec ours = {&byte, 1}, theirs = {(void *)0x400000, 1};
    process_vm_writev(1, &ours, 1, &theirs, 1, 0);
    process_vm_readv(1, &ours, 1, &theirs, 1, 0);
    int first = syscall(SYS_pidfd_open, 1, 0);
    syscall(SYS_process_madvise, first, &theirs, 1, MADV_PAGEOUT, 0);
    syscall(SYS_pidfd_getfd, first, 0, 0);
    syscall(SYS_process_mrelease, first, 0);
    setns(first, CLONE_NEWPID | CLONE_NEWNS);
}
static void schedules_1(void) {
    struct sched_param rest = {0}, most = {99};
    cpu_set_t none;
    CPU_ZERO(&none);
    CPU_SET(0, &none);
    for (int pid = 0; pid < 2; pid++) {
        sched_setscheduler(pid, SCHED_IDLE, &rest);
        sched_setscheduler(pid, SCHED_FIFO, &most);
        sched_setaffinity(pid, sizeof none, &none);
        for (int kind = 0; kind < 3; kind++) setpriority(kind, pid, 19);
        for (int kind = 1; kind < 4; kind++) syscall(SYS_ioprio_set, kind, pid, 3 << 13);
        setpgid(pid, 0);
    }
    orphans(0.2);
}
static void writes_proc(void) {
    static const char *names[] = {"oom_score_adj", "oom_adj", "timerslack_ns", "comm", "coredump_filter", "mem",
                                  "clear_refs", "setgroups", "uid_map", "autogroup", "sched", "make-it-fail",
                                  "loginuid", "attr/current", "fd/0", "fd/1", "fd/2"};
    static const char *whose[] = {"/proc/1", "/proc/self/root/proc/1", "/proc/self/task/../../1"};
    char path[100];
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        for (unsigned j = 0; j < sizeof whose / sizeof *whose; j++) {
            snprintf(path, sizeof path, "%s/%s", whose[j], names[i]);
            said(path, "1000");
        }
    said("/proc/sysrq-trigger", "f");
    said("/proc/sys/kernel/pid_max", "301");
    said("/proc/sys/kernel/panic", "1");
    said("/proc/sys/vm/drop_caches", "3");
    said("/sys/fs/cgroup/cgroup.kill", "1");
    said("/sys/fs/cgroup/unified/cgroup.kill", "1");
}
static void reboots(void) {
    reboot(RB_DISABLE_CAD);
    if (getuid()) {  /* In a namespace of processes these end its first one. */
        reboot(RB_POWER_OFF);
        reboot(RB_AUTOBOOT);
    }
    syscall(SYS_vhangup);
    syscall(SYS_acct, "/tmp/accounts");
}
static void orphans_only(void) { orphans(0.5); }
static int sleeper(void *nothing) { naps(30); _exit(0); }
static void siblings(void) {  /* Children of the first process, and none of ours. */
    for (int i = 0; i < 20; i++) clone(sleeper, malloc(STACK) + STACK, CLONE_PARENT | SIGKILL, NULL);
    _exit(3);
}

/* Walls. */
static void unshares(void) {
    for (int bit = 7; bit < 32; bit++) unshare(1u << bit);
    for (int bit = 7; bit < 32; bit++) {
        int pid = syscall(SYS_clone, (1ul << bit & ~(CLONE_VM | CLONE_VFORK | CLONE_THREAD | CLONE_SIGHAND)) | SIGCHLD, 0, 0, 0, 0);
        if (pid == 0) _exit(0);
    }
    mount("none", "/tmp", "tmpfs", 0, NULL);
    umount2("/proc/1", MNT_DETACH);
    umount2("/tmp", MNT_DETACH);
    syscall(SYS_pivot_root, "/tmp", "/tmp");
    if (chroot("/tmp") == 0) _exit(4);
}
static void filters(void) {  /* A filter of ours that kills at every call. */
    struct { unsigned short code; unsigned char hit, miss; unsigned value; } kill_all = {6, 0, 0, 0x80000000};
    struct { unsigned short count; void *at; } program = {1, &kill_all};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    syscall(SYS_seccomp, 1, 0, &program);
    getpid();
}

/* What it shares with the referee. */
static void bends_pipes(void) {
    for (int end = 0; end < 3; end++) {
        fcntl(end, F_SETFL, O_NONBLOCK | O_ASYNC | O_APPEND | O_DIRECT);
        fcntl(end, F_SETOWN, 1);
        fcntl(end, F_SETSIG, SIGKILL);
        int owner = 1, on = 1;
        ioctl(end, FIOASYNC, &on);
        ioctl(end, FIOSETOWN, &owner);
        fcntl(end, F_SETPIPE_SZ, 4096);
        fcntl(end, F_SETLEASE, F_WRLCK);
        fcntl(end, F_NOTIFY, ~0);
        fchmod(end, 0);
        fchown(end, 12345, 12345);
        if (ftruncate(end, 0)) errno = 0;
        shutdown(end, SHUT_RDWR);
        flock(end, 2);
        ioctl(end, TIOCSTI, "x");
        ioctl(end, TIOCNOTTY, 0);
    }
}
static void drinks_its_output(void) {
    int back = open("/proc/self/fd/1", O_RDONLY | O_NONBLOCK), in = open("/proc/self/fd/0", O_WRONLY | O_NONBLOCK);
    char bytes[4096] = {'\n'};
    if (read(back, bytes, sizeof bytes) < 0) errno = 0;
    while (write(in, bytes, sizeof bytes) > 0) {}
}
static void closes_all(void) { for (int end = 0; end < 256; end++) close(end); naps(10); }
static void terminal(void) {
    int end = open("/dev/tty", O_RDWR), other = open("/dev/ptmx", O_RDWR);
    ioctl(end, TIOCSTI, "x");
    ioctl(other, TIOCSCTTY, 1);
    said("/dev/console", "x");
}

/* Its own limits, and the machine's. */
static void own_limits(void) {
    for (int which = 0; which < RLIM_NLIMITS; which++) {
        struct rlimit now;
        getrlimit(which, &now);
        now.rlim_cur = now.rlim_max = which == RLIMIT_CPU ? 1 : 0;
        setrlimit(which, &now);
    }
    for (;;) number++;
}
static void *fills(void *path) {
    char name[100], *bytes = calloc(1, 1 << 20);
    for (int file = 0; file < 1000; file++) {
        snprintf(name, sizeof name, "%s/%d", (char *)path, file);
        int made = open(name, O_WRONLY | O_CREAT, 0600);
        while (write(made, bytes, 1 << 20) > 0) {}
        close(made);
    }
    return NULL;
}
static void fills_both(void) { signal(SIGXFSZ, SIG_IGN); fills("/tmp"); fills("/dev/shm"); }
static void forks(void) { for (int i = 0; i < 1000; i++) if (fork() == 0) { naps(30); _exit(0); } naps(0.3); }
static void *waits(void *nothing) { naps(30); return nothing; }
static void threads(void) {
    pthread_t thread;
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 1 << 16);
    for (int i = 0; i < 1000 && !pthread_create(&thread, &small, waits, NULL); i++) {}
    naps(0.3);
}
static void opens(void) {
    for (int i = 0; i < 40; i++)
        if (fork() == 0) {
            int ends[2];
            while (!pipe(ends)) if (write(ends[1], ends, sizeof ends) < 0) break;
            while (open("/dev/null", O_RDONLY) >= 0) {}
            naps(30);
            _exit(0);
        }
    naps(0.3);
}
static void eats(void) { for (;;) { char *more = malloc(1 << 24); if (!more) break; memset(more, 1, 1 << 24); } naps(1); }
static void eat_together(void) {
    for (int i = 0; i < 40; i++) if (fork() == 0) { memset(malloc(1 << 26), 1, 1 << 26); naps(30); _exit(0); }
    naps(3);
}

/* How it ends. */
static void ends(void) { _exit(number); }
static void dies(void) { signal(number, SIG_DFL); kill(getpid(), number); naps(0.1); }
static void leaves_helper(void) { if (fork() == 0) { naps(30); _exit(0); } _exit(3); }
static void leaves_leader(void) { pthread_t other; pthread_create(&other, NULL, waits, NULL); pthread_exit(NULL); }
static void daemonises(void) { daemon(0, 0); }
static void dies_with_1(void) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_DUMPABLE, 0);
    prctl(PR_SET_NAME, "bwrap");
    prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
    leaves_helper();
}
static void in_another_shape(void) { execl("/bin/sh", "sh", "-c", "kill -STOP $$; exit 77", NULL); }
static void stops_itself(void) { for (int i = 0; i < 50; i++) kill(getpid(), SIGSTOP); }

static const struct { const char *name; void (*attack)(void); int inside; } ATTACKS[] = {
    {"cpu-of-1", cpu_of_1, 1}, {"limits-of-1", limits_of_1, 1}, {"signals-to-1", signals_to_1, 1},
    {"kills-all", kills_all, 1}, {"stops-all", stops_all, 1}, {"kills-group", kills_group, 0},
    {"traces-1", traces_1, 1}, {"schedules-1", schedules_1, 1}, {"writes-proc", writes_proc, 1},
    {"reboots", reboots, 1}, {"orphans", orphans_only, 1}, {"siblings", siblings, 1}, {"unshares", unshares, 1},
    {"filters", filters, 0}, {"bends-pipes", bends_pipes, 0}, {"drinks-its-output", drinks_its_output, 0},
    {"closes-all", closes_all, 0}, {"terminal", terminal, 1}, {"own-limits", own_limits, 0},
    {"fills-both", fills_both, 1}, {"forks", forks, 1}, {"threads", threads, 0}, {"opens", opens, 1},
    {"eats", eats, 0}, {"eat-together", eat_together, 0}, {"leaves-helper", leaves_helper, 0},
    {"leaves-leader", leaves_leader, 0}, {"daemonises", daemonises, 0}, {"dies-with-1", dies_with_1, 0},
    {"in-another-shape", in_another_shape, 0}, {"stops-itself", stops_itself, 0},
    {"ends-with-0", ends, 0}, {"ends-with-1", ends, 0}, {"ends-with-126", ends, 0}, {"ends-with-127", ends, 0},
    {"ends-with-128", ends, 0}, {"ends-with-137", ends, 0}, {"ends-with-143", ends, 0}, {"ends-with-255", ends, 0},
    {"dies-of-4", dies, 0}, {"dies-of-5", dies, 0}, {"dies-of-6", dies, 0}, {"dies-of-9", dies, 0},
    {"dies-of-11", dies, 0}, {"dies-of-15", dies, 0}, {"dies-of-24", dies, 0}, {"dies-of-31", dies, 0},
    {"dies-of-64", dies, 0},
};

int main(int count, char **words) {
    static char line[1 << 16];
    void (*attack)(void) = NULL;
    for (unsigned i = 0; i < sizeof ATTACKS / sizeof *ATTACKS; i++) {
        if (count < 2) printf("%s%s\n", ATTACKS[i].name, ATTACKS[i].inside ? "!" : "");
        else if (!strcmp(words[1], ATTACKS[i].name)) attack = ATTACKS[i].attack;
    }
    if (count < 2) return 0;
    if (!attack) return 2;
    if (strrchr(words[1], '-')) number = atoi(strrchr(words[1], '-') + 1);
    while (fgets(line, sizeof line, stdin)) {
        if (strstr(line, "\"type\":\"request\"")) {
            long id = atol(strstr(line, "\"id\":") + 5);
            if (id == 5) attack();
            char *action = strstr(line, "\"legal\":[\"") + 10;
            printf("{\"type\":\"reply\",\"id\":%ld,\"action\":\"%.*s\"}\n", id, (int)strcspn(action, "\""), action);
        } else if (strstr(line, "\"type\":\"hello\"")) {
            puts("{\"type\":\"ready\",\"name\":\"attacks\"}");
        }
        fflush(stdout);
    }
    return 0;
}
