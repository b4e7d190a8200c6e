// The baseline: poll, send and recv in C, without the other features of a daemon.
//
// plain SOCKET [PRESSURE_FILE [LIMITED_CGROUP]]
//
// Supports the same part of docs/PROTOCOL.md as the crowd. It answers a simulate frame with one loop of send(2) over
// all hosts. With PRESSURE_FILE the same loop runs at each event of the trigger `some 200000 2000000`, which is armed
// while there are hosts. With LIMITED_CGROUP it first reads what a daemon needs to believe the event and to know the bytes
// wanted: the stalls, and the limits of that cgroup and of those above it. It checks and logs nothing, does not count by
// host, and has no limits and timeouts.
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "bench.h"
#include "frame.h"

static int events;
static const char *pressure;
static const char *limited;
static int trigger = -1;
static int stalls = -1;
static int hosts[20000];
static unsigned host_count;
static uint64_t rounds;
static unsigned answers;
static struct {
    int socket;
    uint64_t sequence;
} requester = {.socket = -1};

static void watch(int descriptor, uint32_t what) {
    struct epoll_event event = {.events = what, .data.fd = descriptor};
    if (epoll_ctl(events, EPOLL_CTL_ADD, descriptor, &event) != 0) err(1, "cannot watch a descriptor");
}

static void arm(void) {
    static const char command[] = "some 200000 2000000";
    trigger = open(pressure, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    // The terminating NUL is part of the trigger.
    if (trigger < 0 || write(trigger, command, sizeof command) < 0) err(1, "cannot arm a trigger on %s", pressure);
    watch(trigger, EPOLLPRI);
    if (limited && stalls < 0) stalls = open(pressure, O_RDONLY | O_CLOEXEC);
}

static bool read_file(const char *directory, const char *name) {
    char path[PATH_MAX], text[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    bool is_read = read(file, text, sizeof text) > 0;
    close(file);
    return is_read;
}

static void read_figures(void) {
    static const char *const names[2][4] = {
        {"memory.limit_in_bytes", NULL, "memory.usage_in_bytes", "memory.stat"},
        {"memory.high", "memory.max", "memory.current", "memory.stat"},
    };
    char text[512], directory[PATH_MAX];
    if (pread(stalls, text, sizeof text, 0) <= 0) err(1, "cannot read %s", pressure);
    snprintf(directory, sizeof directory, "%s", limited);
    const char *const *files = read_file(directory, names[0][0]) ? names[0] : names[1];
    read_file(directory, files[2]);
    read_file(directory, files[3]);
    for (bool is_own = true;; is_own = false) {
        // Version 1's limit was read to find out that it is version 1.
        bool has_limit = is_own && files == names[0] ? true : read_file(directory, files[0]);
        if (files[1]) has_limit = read_file(directory, files[1]) || has_limit;
        char *end = strrchr(directory, '/');
        if (!has_limit || end == directory || !end) return;
        *end = 0;
    }
}

static void send_frame(int peer, struct frame *frame) {
    end_frame(frame);
    send(peer, frame->bytes, frame->size, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void warn_all(uint8_t flags) {
    struct frame frame;
    begin_frame(&frame, FRAME_WARNING, ++rounds);
    put8(&frame, 2);
    put8(&frame, flags);
    put_zeros(&frame, 9 + 8);
    put32(&frame, 1000);
    put_text(&frame, "/plain");
    end_frame(&frame);
    answers = 0;
    for (unsigned index = 0; index < host_count; index++) {
        send(hosts[index], frame.bytes, frame.size, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
}

static void send_round(uint8_t state) {
    struct frame frame;
    begin_frame(&frame, FRAME_ROUND, requester.sequence);
    put64(&frame, rounds);
    put8(&frame, state);
    put_zeros(&frame, 1 + 1 + 9 + 8);
    put32(&frame, host_count);
    put32(&frame, answers);
    put_zeros(&frame, 4 + 4 + 8 + 8 + 8 + 8);
    put_text(&frame, "/");
    send_frame(requester.socket, &frame);
}

static void welcome(int peer, uint64_t sequence) {
    if (host_count == sizeof hosts / sizeof *hosts) errx(1, "too many hosts");
    hosts[host_count++] = peer;
    if (pressure && trigger < 0) arm();
    struct frame frame;
    begin_frame(&frame, FRAME_WELCOME, sequence);
    put64(&frame, host_count);
    put_zeros(&frame, 1 + 9);
    put_text(&frame, "/");
    send_frame(peer, &frame);
}

static void leave(int peer) {
    for (unsigned index = 0; index < host_count; index++) {
        if (hosts[index] == peer) {
            hosts[index] = hosts[--host_count];
            break;
        }
    }
    close(peer);
    if (host_count == 0 && trigger >= 0) {
        close(trigger);
        trigger = -1;
    }
}

static void receive(int peer) {
    unsigned char bytes[FRAME_LIMIT];
    if (recv(peer, bytes, sizeof bytes, MSG_DONTWAIT) <= 0) {
        leave(peer);
        return;
    }
    switch (frame_type(bytes)) {
    case FRAME_HELLO:
        welcome(peer, frame_sequence(bytes));
        break;
    case FRAME_SIMULATE:
        requester.socket = peer;
        requester.sequence = frame_sequence(bytes);
        warn_all(3);
        send_round(0);
        break;
    case FRAME_ACKNOWLEDGEMENT:
        if (++answers == host_count && requester.socket >= 0) {
            send_round(1);
            requester.socket = -1;
        }
        break;
    }
}

int main(int count, char **arguments) {
    if (count < 2) errx(2, "usage: plain SOCKET [PRESSURE_FILE [LIMITED_CGROUP]]");
    pressure = arguments[2];
    limited = pressure ? arguments[3] : NULL;
    bench_die_with_parent();
    bench_raise_descriptor_limit();

    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(arguments[1]) >= sizeof address.sun_path) errx(2, "%s: too long for a socket", arguments[1]);
    strcpy(address.sun_path, arguments[1]);
    int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 4096) != 0) {
        err(1, "cannot listen on %s", arguments[1]);
    }
    events = epoll_create1(EPOLL_CLOEXEC);
    watch(listener, EPOLLIN);
    for (;;) {
        struct epoll_event ready[64];
        int ready_count = epoll_wait(events, ready, 64, -1);
        for (int index = 0; index < ready_count; index++) {
            int descriptor = ready[index].data.fd;
            if (descriptor == listener) {
                int peer = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
                if (peer >= 0) watch(peer, EPOLLIN);
            } else if (descriptor == trigger) {
                if (limited) read_figures();
                warn_all(2);
            } else {
                receive(descriptor);
            }
        }
    }
}
