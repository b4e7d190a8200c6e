// Uses a daemon like hosts, commands and the service manager: exercise-daemon SOCKET PROGRAM [ARGUMENT...]
//
// Listens on SOCKET, makes a socket for the daemon's notices and starts PROGRAM, which starts the daemon. Registers a
// host, queries all records as an observer, has the host warned, answers, and stays until the daemon ends. Exits with
// PROGRAM's status, or with 1 if an answer does not come. build-daemon.sh traces the daemon meanwhile. docs/PROTOCOL.md
// describes the frames.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { hello = 1, welcome = 2, warning = 3, acknowledgement = 4, query = 16, simulate = 17, subscribe = 18 };
enum { round_record = 35, end = 36 };

static unsigned char frame[4096];

// Returns a socket that is bound to a path, or connected to it.
static int make_socket(const char *path, int type, int (*attach)(int, const struct sockaddr *, socklen_t)) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) return -1;
    strcpy(address.sun_path, path);
    int made = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
    return attach(made, (struct sockaddr *)&address, sizeof address) == 0 ? made : -1;
}

static int connect_to(const char *path) {
    int peer = make_socket(path, SOCK_SEQPACKET, connect);
    // A daemon that does not answer within this time fails.
    struct timeval patience = {.tv_sec = 10};
    setsockopt(peer, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
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
    // The host's priority, releasable bytes and name.
    static const uint8_t fields[] = {128, 0, 0, 1, 0, 0, 0, 0, 0, 4, 0, 't', 'e', 's', 't'};
    int host = connect_to(path);
    return send_frame(host, hello, 1, fields, sizeof fields) && receive(host, welcome) ? host : -1;
}

static int exercise(const char *path) {
    int host = register_host(path), client = connect_to(path);
    if (host < 0 || client < 0) return 0;
    if (!send_frame(client, subscribe, 1, "", 0) || !receive(client, end)) return 0;
    // Simulates critical, warning and normal for all hosts.
    for (uint8_t level = 2; level != (uint8_t)-1; level--) {
        uint8_t fields[20] = {level}, figures[40] = {0};
        if (!send_frame(client, simulate, 10, fields, sizeof fields) || !receive(host, warning)) return 0;
        if (!send_frame(host, acknowledgement, sequence_of_frame(), figures, sizeof figures)) return 0;
        // The records of the running and of the finished round.
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

// Starts a program as systemd starts a service whose socket it has opened.
static pid_t start(const char *path, char **arguments) {
    char notices[128];
    snprintf(notices, sizeof notices, "%s.notify", path);
    int door = make_socket(path, SOCK_SEQPACKET, bind);
    // The socket need not be read: the daemon queues notices that it cannot send.
    int manager = make_socket(notices, SOCK_DGRAM, bind);
    if (door < 0 || manager < 0 || listen(door, 16) != 0) return -1;
    pid_t program = fork();
    if (program != 0) return program;
    setenv("NOTIFY_SOCKET", notices, 1);
    setenv("WATCHDOG_USEC", "2000000", 1);
    setenv("LISTEN_FDS", "1", 1);
    // The first of the passed descriptors. A duplicate stays open in the program.
    if (door == 3) fcntl(door, F_SETFD, 0);
    else dup2(door, 3);
    execv(arguments[0], arguments);
    _exit(127);
}

int main(int argc, char **argv) {
    if (argc < 3) return 64;
    pid_t program = start(argv[1], argv + 2);
    int is_well = program > 0 && exercise(argv[1]), status;
    if (!is_well) fprintf(stderr, "exercise-daemon: %s, last frame of type %d\n", strerror(errno), frame[1]);
    if (waitpid(program, &status, 0) != program || !WIFEXITED(status)) return 1;
    return is_well ? WEXITSTATUS(status) : 1;
}
