// The receivers: many hosts in one process, which register, receive warnings and answer.
//
// crowd SOCKET HOSTS at-once|held|woken [CGROUP_DIRECTORY]
//
// Joins the cgroup, connects HOSTS hosts and one client, and prints "ready". Answers every warning, at once or when all
// hosts have theirs; woken hosts do not answer the warning that they wait for. Then each line from standard input is a command, and a line on standard output is its result:
//
//   round   requests a round from the server by a simulate frame; prints "LAST DONE", the nanoseconds from just before
//           that frame was sent to the receipt of the last warning, and to the server's message that all answers are
//           counted
//   wait    waits until every host has received a warning of its cgroup that the kernel caused; prints "LAST", the
//           time of the last receipt on CLOCK_MONOTONIC in nanoseconds; a woken host receives on a thread that wakes
//           the main thread, which reads its own memory before it takes the time, as a `ControllerHost` does
//
// Ends at the end of standard input.
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "frame.h"

static int events;
static int client;
static int hosts[19000];
static unsigned host_count;
static bool answers_at_once;
static bool wakes;
static sem_t received;

static void join_cgroup(const char *directory) {
    char path[4096];
    snprintf(path, sizeof path, "%s/cgroup.procs", directory);
    int procs = open(path, O_WRONLY | O_CLOEXEC);
    if (procs < 0 || dprintf(procs, "%d", getpid()) < 0) err(1, "cannot join %s", directory);
    close(procs);
}

static int connect_to(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) errx(2, "%s: too long for a socket", path);
    strcpy(address.sun_path, path);
    int peer = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (peer < 0) err(1, "cannot make a socket");
    // The server may still be starting: it has five seconds.
    for (int attempt = 0; connect(peer, (struct sockaddr *)&address, sizeof address) != 0; attempt++) {
        if ((errno != ENOENT && errno != ECONNREFUSED) || attempt == 5000) err(1, "cannot connect to %s", path);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    struct epoll_event event = {.events = EPOLLIN, .data.fd = peer};
    if (epoll_ctl(events, EPOLL_CTL_ADD, peer, &event) != 0) err(1, "cannot watch a socket");
    return peer;
}

static void send_frame(int peer, struct frame *frame) {
    end_frame(frame);
    if (send(peer, frame->bytes, frame->size, MSG_NOSIGNAL) < 0) err(1, "cannot send");
}

static void receive_frame(int peer, unsigned char *bytes, int expected) {
    if (recv(peer, bytes, FRAME_LIMIT, 0) <= 0) err(1, "the server has closed");
    if (frame_type(bytes) != expected) errx(1, "expected frame %d, received %d", expected, frame_type(bytes));
}

static void say_hello(int peer) {
    unsigned char bytes[FRAME_LIMIT];
    struct frame frame;
    begin_frame(&frame, FRAME_HELLO, 1);
    put8(&frame, 128);
    put64(&frame, 1 << 20);
    put_text(&frame, "crowd");
    send_frame(peer, &frame);
    receive_frame(peer, bytes, FRAME_WELCOME);
}

static void answer(int peer, uint64_t sequence) {
    struct frame frame;
    begin_frame(&frame, FRAME_ACKNOWLEDGEMENT, sequence);
    put64(&frame, 1 << 20);
    put64(&frame, 4 << 20);
    put64(&frame, 3 << 20);
    put64(&frame, 100);
    put64(&frame, 1 << 20);
    send_frame(peer, &frame);
}

static void ask_for_round(void) {
    struct frame frame;
    begin_frame(&frame, FRAME_SIMULATE, 1);
    put8(&frame, 2);
    put8(&frame, 0);
    put32(&frame, 0);
    put64(&frame, 0);
    // A minute: the benchmark measures how long the server takes, so the server must not give up.
    put32(&frame, 60000);
    put_text(&frame, "");
    send_frame(client, &frame);
}

struct progress {
    bool is_round;
    unsigned warnings;
    uint64_t last, done;
};

static void receive(int peer, struct progress *progress) {
    unsigned char bytes[FRAME_LIMIT];
    if (peer == client) {
        receive_frame(peer, bytes, FRAME_ROUND);
        // The first of these frames only reports that the round has begun.
        if (bytes[24] == 0) return;
        progress->done = bench_now();
        if (get32(bytes, 48) != host_count) errx(1, "%u answers of %u", get32(bytes, 48), host_count);
        return;
    }
    receive_frame(peer, bytes, FRAME_WARNING);
    bool is_simulated = bytes[17] & 1;
    bool wants_answer = bytes[17] & 2;
    // The scope "/" has one byte, after two bytes with its length.
    bool is_of_machine = get32(bytes, 4) == 42;
    if (is_simulated != progress->is_round || (!is_simulated && is_of_machine)) {
        // Not the expected warning: the whole machine may also be short of memory during the measurement.
        if (wants_answer) answer(peer, frame_sequence(bytes));
        return;
    }
    uint64_t sequence = frame_sequence(bytes);
    if (++progress->warnings == host_count) progress->last = bench_now();
    if (wakes) return;
    if (answers_at_once) answer(peer, sequence);
    if (progress->last && !answers_at_once) {
        for (unsigned index = 0; index < host_count; index++) answer(hosts[index], sequence);
    }
}

// Receives frames until all warnings have arrived and, if a round was requested, the round is over.
static struct progress follow(bool is_round) {
    struct progress progress = {.is_round = is_round};
    while (!progress.last || (is_round && !progress.done)) {
        struct epoll_event ready[256];
        int ready_count = epoll_wait(events, ready, 256, 30000);
        if (ready_count == 0) errx(1, "%u warnings of %u after 30 s", progress.warnings, host_count);
        for (int index = 0; index < ready_count; index++) receive(ready[index].data.fd, &progress);
    }
    return progress;
}

static void *receive_warnings(void *unused) {
    follow(false);
    sem_post(&received);
    return unused;
}

// The time of a receipt by the main thread, which another thread wakes.
static uint64_t be_woken(int memory) {
    pthread_t receiver;
    if (pthread_create(&receiver, NULL, receive_warnings, NULL) != 0) errx(1, "cannot create a thread");
    while (sem_wait(&received) != 0) continue;
    char text[160];
    if (pread(memory, text, sizeof text, 0) <= 0) err(1, "cannot read the memory's size");
    uint64_t time = bench_now();
    pthread_join(receiver, NULL);
    return time;
}

int main(int count, char **arguments) {
    if (count < 4) errx(2, "usage: crowd SOCKET HOSTS at-once|held|woken [CGROUP_DIRECTORY]");
    unsigned wanted = (unsigned)atoi(arguments[2]);
    if (wanted > sizeof hosts / sizeof *hosts) errx(2, "too many hosts");
    answers_at_once = strcmp(arguments[3], "at-once") == 0;
    wakes = strcmp(arguments[3], "woken") == 0;
    int memory = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    bench_die_with_parent();
    bench_raise_descriptor_limit();
    // Before connecting, since the daemon looks up the cgroup of a host when the host sends its hello.
    if (count > 4) join_cgroup(arguments[4]);
    events = epoll_create1(EPOLL_CLOEXEC);
    client = connect_to(arguments[1]);
    for (; host_count < wanted; host_count++) {
        hosts[host_count] = connect_to(arguments[1]);
        say_hello(hosts[host_count]);
    }
    puts("ready");
    fflush(stdout);

    char line[64];
    while (fgets(line, sizeof line, stdin)) {
        bool is_round = strcmp(line, "round\n") == 0;
        if (wakes) {
            printf("%" PRIu64 "\n", be_woken(memory));
            fflush(stdout);
            continue;
        }
        uint64_t start = bench_now();
        if (is_round) ask_for_round();
        struct progress progress = follow(is_round);
        if (is_round) {
            printf("%" PRIu64 " %" PRIu64 "\n", progress.last - start, progress.done - start);
        } else {
            printf("%" PRIu64 "\n", progress.last);
        }
        fflush(stdout);
    }
    return 0;
}
