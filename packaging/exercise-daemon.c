// Uses a daemon as hosts and commands do: exercise-daemon SOCKET
//
// Registers a host, queries all records as an observer, has the host warned, answers, and stays until the daemon ends.
// build-daemon.sh traces the daemon meanwhile. Exits with 1 if an answer fails to come. docs/PROTOCOL.md describes the frames.
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { hello = 1, welcome = 2, warning = 3, acknowledgement = 4, query = 16, simulate = 17, subscribe = 18 };
enum { round_record = 35, end = 36 };

static unsigned char frame[4096];

static int connect_to(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) return -1;
    strcpy(address.sun_path, path);
    int peer = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    // A daemon that does not answer for so long fails.
    struct timeval patience = {.tv_sec = 10};
    setsockopt(peer, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    // The daemon is starting.
    for (int attempt = 0; connect(peer, (struct sockaddr *)&address, sizeof address) != 0; attempt++) {
        if ((errno != ENOENT && errno != ECONNREFUSED) || attempt == 10000) return -1;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return peer;
}

// Sends a frame of version 1 with these fields. Returns whether it was sent.
static int send_frame(int peer, uint8_t type, uint64_t sequence, const void *fields, uint8_t size) {
    uint8_t bytes[128] = {1, type, 0, 0, 16 + size};
    for (int i = 0; i < 8; i++) bytes[8 + i] = (uint8_t)(sequence >> (8 * i));
    memcpy(bytes + 16, fields, size);
    return send(peer, bytes, 16 + size, MSG_NOSIGNAL) == 16 + size;
}

// Receives frames up to one of this type. Returns whether it came.
static int receive(int peer, uint8_t type) {
    do {
        if (recv(peer, frame, sizeof frame, 0) < 16) return 0;
    } while (frame[1] != type);
    return 1;
}

static uint64_t sequence_of_frame(void) {
    uint64_t sequence = 0;
    for (int i = 7; i >= 0; i--) sequence = sequence << 8 | frame[8 + i];
    return sequence;
}

// Returns the connection of a registered host, or -1.
static int register_host(const char *path) {
    // Priority, releasable bytes, name.
    static const uint8_t fields[] = {128, 0, 0, 1, 0, 0, 0, 0, 0, 4, 0, 't', 'e', 's', 't'};
    int host = connect_to(path);
    return send_frame(host, hello, 1, fields, sizeof fields) && receive(host, welcome) ? host : -1;
}

static int exercise(const char *path) {
    int host = register_host(path), client = connect_to(path);
    if (host < 0 || client < 0) return 0;
    if (!send_frame(client, subscribe, 1, "", 0) || !receive(client, end)) return 0;
    // Critical, warning and normal again, of all hosts.
    for (uint8_t level = 2; level != (uint8_t)-1; level--) {
        uint8_t fields[20] = {level}, figures[40] = {0};
        if (!send_frame(client, simulate, 10, fields, sizeof fields) || !receive(host, warning)) return 0;
        if (!send_frame(host, acknowledgement, sequence_of_frame(), figures, sizeof figures)) return 0;
        // The running round, and the finished one.
        if (!receive(client, round_record) || !receive(client, round_record)) return 0;
    }
    for (uint8_t section = 0; section <= 4; section++) {
        uint8_t fields[9] = {section};
        if (!send_frame(client, query, 2 + section, fields, sizeof fields) || !receive(client, end)) return 0;
    }
    close(host);
    close(client);
    // The daemon checks the cgroup of a host again after a second.
    host = register_host(path);
    if (host < 0) return 0;
    while (recv(host, frame, sizeof frame, 0) > 0) {}
    return 1;
}

int main(int argc, char **argv) {
    if (argc != 2) return 64;
    if (exercise(argv[1])) return 0;
    fprintf(stderr, "exercise-daemon: no answer, last frame of type %d\n", frame[1]);
    return 1;
}
