/* What the kernel holds for a process beside its resident memory: `hoards KIND PROCESSES MOST`. Each process takes
   as many of a kind as it can get, `MOST` at most; then one line says how many the first of them got, and the error
   that ended it. `hoards` alone lists the kinds. Read by hoards.py. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#define PAGE 4096l
#define HUGE (2l << 20)
static char block[1 << 16];

/* Each takes one more, number `at`, and returns whether it got it. */
static int rulesets(long at) {
    struct { unsigned long long files, network; } rules = {0x1fff, 3};
    static int set;
    struct { unsigned long long may; int under; } __attribute__((packed)) rule = {1, 0};
    if (at % 500 == 0 && (set = syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0)) < 0) return 0;
    struct { unsigned long long may, port; } port = {1, at};
    return syscall(SYS_landlock_add_rule, set, 2, &port, 0) == 0;
}
static int filters(long at) {
    struct code { unsigned short code; unsigned char hit, miss; unsigned value; };
    static struct code long_one[4096];
    for (int i = 0; i < 4096; i++) long_one[i] = (struct code){i < 4095 ? 0x20 : 6, 0, 0, i < 4095 ? 0 : 0x7fff0000};
    struct { unsigned short count; void *at; } program = {4096, long_one};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    return prctl(PR_SET_SECCOMP, 2, &program, 0, 0) == 0;
}
static int watches(long at) {
    static int epolls[128], events[128];
    int slot = at / 120;
    if (slot == 120) return 0;
    if (at < 120) events[at] = eventfd(0, 0);
    if (at % 120 == 0) epolls[slot] = epoll_create1(0);
    if (slot == 0 && at < 119) return 1;
    struct epoll_event event = {EPOLLIN};
    return epolls[slot] >= 0 && epoll_ctl(epolls[slot], EPOLL_CTL_ADD, events[at % 120], &event) == 0;
}
static int pipes(long at) {
    int ends[2];
    if (pipe2(ends, O_NONBLOCK)) return 0;
    while (write(ends[1], block, sizeof block) > 0) {}
    close(ends[1]);
    char path[50];
    return 1;
}
static int huge_pages_in_pipes(long at) {
    static int ends[2];
    if (at % 16 == 0 && pipe2(ends, O_NONBLOCK)) return 0;
    char *raw = mmap(NULL, 2 * HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *page = (char *)(((long)raw + HUGE - 1) & -HUGE);
    madvise(page, HUGE, MADV_HUGEPAGE);
    *page = 1;
    struct iovec one = {page, 1};
    int got = vmsplice(ends[1], &one, 1, SPLICE_F_NONBLOCK) == 1;
    munmap(raw, 2 * HUGE);
    return got;
}
static int fragments_in_pipes(long at) {
    static int ends[2], pair[2];
    if (at % 16 == 0 && pipe2(ends, O_NONBLOCK)) return 0;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair)) return 0;
    int sent = write(pair[0], block, 40000);
    int got = splice(pair[1], NULL, ends[1], NULL, 1, SPLICE_F_NONBLOCK) == 1;
    close(pair[0]);
    close(pair[1]);
    return sent > 0 && got;
}
static int sockets_of(int family, int kind, long at) {
    int pair[2], size = 64 << 20;
    if (socketpair(family, kind | SOCK_NONBLOCK, 0, pair)) return 0;
    setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    while (write(pair[0], block, 4096) > 0) {}
    return 1;
}
static int unix_sockets(long at) { return sockets_of(AF_UNIX, SOCK_STREAM, at); }
static int datagrams(long at) {
    static char large[212900];
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, pair)) return 0;
    int got = write(pair[0], large, 150000) > 0 && write(pair[0], large, sizeof large) > 0;
    close(pair[0]);
    return got;
}
static int udp_sockets(long at) {
    struct sockaddr_in here = {AF_INET, 0, {htonl(INADDR_LOOPBACK)}};
    socklen_t length = sizeof here;
    int got = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0), size = 64 << 20;
    setsockopt(got, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    if (got < 0 || bind(got, (void *)&here, length)) return 0;
    getsockname(got, (void *)&here, &length);
    if (connect(got, (void *)&here, length)) return 0;
    for (int i = 0; i < 9000; i++) if (write(got, block, 1000) < 0) break;
    return 1;
}
static int tcp_sockets(long at) {
    static struct sockaddr_in here = {AF_INET, 0, {0}};
    static int listening;
    socklen_t length = sizeof here;
    if (!listening) {
        here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        listening = socket(AF_INET, SOCK_STREAM, 0);
        if (bind(listening, (void *)&here, length) || listen(listening, 99)) return 0;
        getsockname(listening, (void *)&here, &length);
    }
    int one = socket(AF_INET, SOCK_STREAM, 0);
    if (one < 0 || connect(one, (void *)&here, length)) return 0;
    int other = accept(listening, NULL, NULL);
    if (other < 0) return 0;
    for (int i = 0; i < 3000; i++) {  /* Being read from, it is given larger buffers. */
        if (send(one, block, sizeof block, MSG_DONTWAIT) < 0) break;
        while (recv(other, block, sizeof block, MSG_DONTWAIT) > 0) {}
    }
    while (send(one, block, sizeof block, MSG_DONTWAIT) > 0) usleep(10);
    return 1;
}
static int shared_pages(long at) {
    char *pages = mmap(NULL, 16 * HUGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return 0;
    memset(pages, 1, 16 * HUGE);
    return madvise(pages, 16 * HUGE, MADV_DONTNEED) == 0;
}
static int shared_zeros(long at) {
    int zero = open("/dev/zero", O_RDWR);
    char *pages = mmap(NULL, 16 * HUGE, PROT_READ | PROT_WRITE, MAP_SHARED, zero, 0);
    close(zero);
    if (pages == MAP_FAILED) return 0;
    memset(pages, 1, 16 * HUGE);
    return madvise(pages, 16 * HUGE, MADV_DONTNEED) == 0;
}
static int acls(long at) {
    static char list[4 + 8 * 8000];
    char path[100];
    snprintf(path, sizeof path, "/tmp/%d-%ld", getpid(), at);
    int file = open(path, O_CREAT | O_WRONLY, 0600);
    *(unsigned *)list = 2;
    for (int i = 0; i < 8000; i++) {
        struct { unsigned short tag, may; unsigned who; } *entry = (void *)(list + 4 + 8 * i);
        entry->who = -1;
        entry->may = 7;
        entry->tag = i == 0 ? 1 : i == 7997 ? 4 : i == 7998 ? 0x10 : i == 7999 ? 0x20 : 2;
        if (entry->tag == 2) entry->who = getuid();
    }
    int done = fsetxattr(file, "system.posix_acl_access", list, sizeof list, 0);
    close(file);
    return done == 0;
}
static int files(long at) {
    char path[400];
    int length = snprintf(path, sizeof path, "/tmp/%d-%ld-", getpid(), at);
    memset(path + length, 'x', 240);
    path[length + 230] = 0;
    return mkdir(path, 0700) == 0;
}
static int mappings(long at) {  /* Each second page has another protection. */
    static char *pages;
    if (!pages) pages = mmap(NULL, 140000 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return mprotect(pages + 2 * at * PAGE, PAGE, PROT_READ) == 0;
}
static int policies(long at) {
    static char *pages;
    unsigned long nodes = 1;
    if (!pages) pages = mmap(NULL, 140000 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return syscall(SYS_mbind, pages + 2 * at * PAGE, PAGE, 1, &nodes, 64, 0) == 0;
}
static int page_tables(long at) {
    static char *pages;
    if (!pages) pages = mmap(NULL, 1000 * HUGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at < 1000 && ((volatile char *)pages)[at * HUGE] == 0;
}
static int futex_slots(long at) { return prctl(78, 1, 1 << 22, 0, 0) == 0; }
static int listings(long at) {
    int file = open("/proc/self/mountinfo", O_RDONLY);
    return file >= 0 && read(file, block, 100) > 0;
}
static int threads(long at) {
    return syscall(SYS_clone, 0x10f00 | 0x40000, (char *)malloc(1 << 14) + (1 << 14), 0, 0, 0) > 0;
}
static int zombies(long at) {
    int pid = fork();
    if (pid == 0) _exit(0);
    return pid > 0;
}
static int anons_with_history(long at) {
    static char *pages;
    if (!pages) pages = mmap(NULL, 140000 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    char *page = pages + 2 * at * PAGE;
    if (mprotect(page + PAGE, PAGE, PROT_NONE)) return 0;
    *page = 1;
    return madvise(page, PAGE, MADV_DONTNEED) == 0;
}

static const struct { const char *name; int (*take)(long); } KINDS[] = {
    {"rulesets", rulesets}, {"filters", filters}, {"watches", watches}, {"pipes", pipes},
    {"huge-pages-in-pipes", huge_pages_in_pipes}, {"fragments-in-pipes", fragments_in_pipes},
    {"unix-sockets", unix_sockets}, {"datagrams", datagrams}, {"udp-sockets", udp_sockets}, {"tcp-sockets", tcp_sockets},
    {"shared-pages", shared_pages}, {"shared-zeros", shared_zeros}, {"acls", acls}, {"files", files},
    {"mappings", mappings}, {"anons-with-history", anons_with_history}, {"policies", policies},
    {"page-tables", page_tables}, {"futex-slots", futex_slots}, {"listings", listings}, {"zombies", zombies},
};

int main(int count, char **words) {
    int (*take)(long) = NULL, ends[2];
    for (unsigned i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
        if (count < 4) puts(KINDS[i].name);
        else if (!strcmp(words[1], KINDS[i].name)) take = KINDS[i].take;
    }
    if (!take) return count < 4 ? 0 : 2;
    long processes = atol(words[2]), most = atol(words[3]);
    if (pipe(ends)) return 3;
    for (long process = 0; process < processes; process++)
        if (fork() == 0) {
            long got = 0;
            while (got < most && take(got)) got++;
            char said[100];
            int length = snprintf(said, sizeof said, "%ld %s\n", got, got < most ? strerrorname_np(errno) : "-");
            if (write(process ? ends[1] : 1, said, length) < 0) return 4;
            for (;;) pause();
        }
    pause();
}
