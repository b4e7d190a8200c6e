// Causes real memory stalls: children read random bytes of a mapped file that is larger than the memory that their cgroup may keep,
// so that pages just evicted have to be read again.
//
// thrash FILE MIB CHILDREN SECONDS [CGROUP_DIRECTORY...]
//
// Creates FILE and removes it again. Joins each CGROUP_DIRECTORY before it begins. Prints "thrashing" when it has begun; ends after
// SECONDS, when its parent ends, or on SIGTERM; its children never outlive it.
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static int make_file(const char *path, size_t size) {
    static char block[1 << 20];
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) err(1, "cannot make %s", path);
    unlink(path);
    for (size_t done = 0; done < size; done += sizeof block) {
        memset(block, (int)(done >> 20) + 1, sizeof block);
        if (write(file, block, sizeof block) != (ssize_t)sizeof block) err(1, "cannot fill %s", path);
    }
    // The pages have to leave the page cache: cached pages stay charged to the cgroup of the process that wrote them.
    if (fsync(file) != 0) err(1, "cannot write back %s", path);
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    return file;
}

static void join_cgroup(const char *directory) {
    char path[4096];
    snprintf(path, sizeof path, "%s/cgroup.procs", directory);
    int procs = open(path, O_WRONLY | O_CLOEXEC);
    if (procs < 0 || dprintf(procs, "%d", getpid()) < 0) err(1, "cannot join %s", directory);
    close(procs);
}

static void read_at_random(int file, size_t size, unsigned seed) {
    volatile const char *bytes = mmap(NULL, size, PROT_READ, MAP_SHARED, file, 0);
    if (bytes == MAP_FAILED) err(1, "cannot map the file");
    unsigned long state = seed * 2654435761u + 1;
    for (;;) {
        state = state * 6364136223846793005ul + 1442695040888963407ul;
        (void)bytes[(state >> 16) % size];
    }
}

static void die_with(pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);  // the parent ended before the line above
}

int main(int count, char **arguments) {
    if (count < 5) errx(2, "usage: thrash FILE MIB CHILDREN SECONDS [CGROUP_DIRECTORY...]");
    size_t size = strtoul(arguments[2], NULL, 10) << 20;
    int children = atoi(arguments[3]);
    int seconds = atoi(arguments[4]);
    if (size == 0 || children < 1 || children > 64 || seconds < 1 || seconds > 600) {
        errx(2, "expected MIB > 0, CHILDREN 1...64, SECONDS 1...600");
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);

    int file = make_file(arguments[1], size);
    for (int index = 5; index < count; index++) join_cgroup(arguments[index]);
    pid_t self = getpid();
    for (int child = 0; child < children; child++) {
        pid_t pid = fork();
        if (pid < 0) err(1, "cannot fork");
        if (pid == 0) {
            die_with(self);
            alarm((unsigned)seconds);  // its default action ends the child
            read_at_random(file, size, (unsigned)child + 1);
        }
    }
    puts("thrashing");
    fflush(stdout);
    while (wait(NULL) > 0) {}
    return 0;
}
