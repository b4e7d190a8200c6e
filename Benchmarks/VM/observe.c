// observe CYCLES SECONDS REST [--line NAME PATTERN COMMAND]... -- HOG...: measures when programs are told of memory
// pressure.
//
// Starts HOG and notes the times at which stalls reach 1 and 50 ms (PSI, some), 10 % of memory is left, the kernel's
// own trigger fires (50 ms in 500 ms), memwarnd's warning arrives on its socket, and a COMMAND prints a line with
// PATTERN. Ends HOG after SECONDS, waits for REST, and repeats this. Prints one line for each cycle, with milliseconds
// since HOG's start, and "-" for events that did not happen. Its memory is locked and its priority is a real-time one,
// so that it sees events as they happen.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kernel, native, lines, most_sources = 8 };
static struct source {
    const char *name, *pattern;
    struct pollfd poll;
    double first, critical;
} sources[most_sources];
static int count = lines;
static struct {
    double stall1, stall50, left10;
    double before;  // microseconds of stalls before the hog's start
} marks;
static int psi, memory;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static double number(int file, const char *key) {
    char text[512];
    ssize_t length = pread(file, text, sizeof text - 1, 0);
    text[length > 0 ? length : 0] = 0;
    char *at = strstr(text, key);
    return at ? strtod(at + strlen(key), NULL) : 0;
}

// Registers as a native host; see docs/PROTOCOL.md.
static int connect_to_memwarnd(void) {
    int peer = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    struct sockaddr_un address = {AF_UNIX, "/run/memwarnd/memwarnd.sock"};
    if (connect(peer, (void *)&address, sizeof address)) {
        close(peer);
        return -1;
    }
    uint8_t hello[30] = {1, 1, 0, 0, sizeof hello, [8] = 1, [16] = 128, [25] = 3, [27] = 'o', 'b', 's'}, answer[4096];
    if (send(peer, hello, sizeof hello, 0) < 0 || recv(peer, answer, sizeof answer, 0) < 0) fail("register");
    return peer;
}

static int arm(void) {
    static const char trigger[] = "some 50000 500000";
    int file = open("/proc/pressure/memory", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (file < 0 || write(file, trigger, sizeof trigger) < 0) fail("/proc/pressure/memory");
    return file;
}

static int start(const char *command) {
    FILE *pipe = popen(command, "r");
    if (!pipe) fail(command);
    fcntl(fileno(pipe), F_SETFL, O_NONBLOCK);
    return fileno(pipe);
}

static void read_warning(struct source *source, double time) {
    uint8_t frame[4096];
    ssize_t length = recv(source->poll.fd, frame, sizeof frame, MSG_DONTWAIT);
    if (length <= 20 || frame[1] != 3) return;
    uint8_t level = frame[16];
    if (level >= 1 && !source->first) source->first = time;
    if (level == 2 && !source->critical) source->critical = time;
    if (frame[17] & 2) {  // an answer is wanted
        uint8_t answer[56] = {1, 4, 0, 0, sizeof answer};
        memcpy(answer + 8, frame + 8, 8);
        send(source->poll.fd, answer, sizeof answer, MSG_DONTWAIT);
    }
}

static void read_lines(struct source *source, double time) {
    static char text[65536];
    ssize_t length = read(source->poll.fd, text, sizeof text - 1);
    if (length <= 0) return;
    text[length] = 0;
    char *at = strstr(text, source->pattern);
    if (at && !source->first) source->first = time;
    // The level of low-memory-monitor, 0 to 255, as dbus-monitor prints it.
    if (at && strstr(text, "byte 255") && !source->critical) source->critical = time;
}

static void take_marks(double time) {
    double stalled = number(psi, "total=") - marks.before;
    if (!marks.stall1 && stalled >= 1000) marks.stall1 = time;
    if (!marks.stall50 && stalled >= 50000) marks.stall50 = time;
    if (!marks.left10 && number(memory, "MemAvailable:") < number(memory, "MemTotal:") / 10) marks.left10 = time;
}

// Returns the time at which the hog ended by itself; 0 if it still runs at the end.
static double watch(double until, pid_t hog) {
    struct pollfd polls[most_sources];
    for (double time; (time = now()) < until;) {
        for (int i = 0; i < count; i++) polls[i] = sources[i].poll;
        poll(polls, count, hog ? 5 : 100);
        time = now();
        for (int i = 0; i < count; i++) {
            if (!polls[i].revents) continue;
            if (i == native) read_warning(&sources[i], time);
            else if (i >= lines) read_lines(&sources[i], time);
            else if (!sources[i].first) sources[i].first = time;
        }
        take_marks(time);
        if (hog && waitpid(hog, NULL, WNOHANG) == hog) return time;
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc < 6) {
        fprintf(stderr, "observe CYCLES SECONDS REST [--line NAME PATTERN COMMAND]... -- HOG...\n");
        return 64;
    }
    int cycles = atoi(argv[1]), at = 4;
    double seconds = atof(argv[2]), rest = atof(argv[3]);
    for (; !strcmp(argv[at], "--line"); at += 4)
        sources[count++] =
            (struct source){.name = argv[at + 1], .pattern = argv[at + 2], .poll = {.fd = start(argv[at + 3]), .events = POLLIN}};
    at++;
    sources[kernel] = (struct source){.name = "kernel", .poll = {.fd = arm(), .events = POLLPRI}};
    sources[native] = (struct source){.name = "memwarnd", .poll = {.fd = connect_to_memwarnd(), .events = POLLIN}};
    psi = open("/proc/pressure/memory", O_RDONLY | O_CLOEXEC);
    memory = open("/proc/meminfo", O_RDONLY | O_CLOEXEC);
    mlockall(MCL_CURRENT | MCL_FUTURE);
    struct sched_param priority = {.sched_priority = 10};
    if (sched_setscheduler(0, SCHED_FIFO, &priority)) fail("SCHED_FIFO");
    printf("stall1 stall50 left10 hog-end");
    for (int i = 0; i < count; i++) printf(" %s %s-critical", sources[i].name, sources[i].name);
    printf("\n");
    for (int cycle = 0; cycle < cycles; cycle++) {
        watch(now() + rest * 1e3, 0);
        for (int i = 0; i < count; i++) sources[i].first = sources[i].critical = 0;
        marks.stall1 = marks.stall50 = marks.left10 = 0;
        marks.before = number(psi, "total=");
        double begin = now();
        pid_t hog = fork();
        if (hog == 0) {
            struct sched_param ordinary = {0};
            sched_setscheduler(0, SCHED_OTHER, &ordinary);
            int score = open("/proc/self/oom_score_adj", O_WRONLY);
            if (write(score, "1000", 4) < 0) _exit(126);
            execvp(argv[at], argv + at);
            _exit(127);
        }
        double ended = watch(begin + seconds * 1e3, hog);
        if (!ended) {
            kill(hog, SIGKILL);
            waitpid(hog, NULL, 0);
        }
        double values[4 + 2 * most_sources] = {marks.stall1, marks.stall50, marks.left10, ended};
        for (int i = 0; i < count; i++) values[4 + 2 * i] = sources[i].first, values[5 + 2 * i] = sources[i].critical;
        for (int i = 0; i < 4 + 2 * count; i++) values[i] ? printf("%.2f ", values[i] - begin) : printf("- ");
        printf("\n");
        fflush(stdout);
    }
}
