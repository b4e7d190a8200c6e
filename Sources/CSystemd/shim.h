// What Swift needs of libsystemd and of the kernel beneath it. Anything Swift cannot import itself (macros, variadics)
// gets a wrapper here with the prefix memwarnd_, and a sentence saying why.
#pragma once

#include <errno.h>
#include <linux/memfd.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <systemd/sd-journal.h>
#include <time.h>
#include <unistd.h>

// The most descriptors in one message: the kernel's SCM_MAX_FD, which is in no header for programs.
enum { memwarnd_descriptor_limit = 253 };

// A message with descriptors is laid out by CMSG_SPACE, CMSG_LEN and CMSG_DATA, macros that Swift does not import.
static inline ssize_t memwarnd_send(
    int fd, const void *bytes, size_t count, const int *descriptors, size_t descriptor_count, int flags
) {
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(memwarnd_descriptor_limit * sizeof(int))];
    } control;
    struct iovec part = {(void *)bytes, count};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (descriptor_count > memwarnd_descriptor_limit) {
        errno = EINVAL;
        return -1;
    }
    if (descriptor_count > 0) {
        size_t size = descriptor_count * sizeof(int);
        memset(&control, 0, sizeof control);
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(size);
        memcpy(CMSG_DATA(&control.header), descriptors, size);
        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE(size);
    }
    return sendmsg(fd, &message, flags);
}

// CLinux is made without _GNU_SOURCE, which memfd_create is declared for; syscall is variadic.
static inline int memwarnd_memfd_create(const char *name) {
    return (int)syscall(SYS_memfd_create, name, MFD_CLOEXEC);
}

// The libc of older distributions has no pidfd_open, and syscall is variadic. Close-on-exec by itself.
static inline int memwarnd_pidfd_open(pid_t pid) {
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

// An interface with one signal, LowMemoryWarning, that carries a byte. A vtable is made by macros with bit-fields and a
// pointer into libsystemd; and it has to outlive every bus, which only something static does.
static inline const sd_bus_vtable *memwarnd_low_memory_vtable(void) {
    static const sd_bus_vtable vtable[] = {
        SD_BUS_VTABLE_START(0),
        SD_BUS_SIGNAL_WITH_NAMES("LowMemoryWarning", "y", SD_BUS_PARAM(level), 0),
        SD_BUS_VTABLE_END,
    };
    return vtable;
}

// CLOCK_MONOTONIC in microseconds. To Swift, struct timespec belongs to whichever module was imported first, and which
// one that is differs between a debug build and a release build of a target that imports this header.
static inline uint64_t memwarnd_monotonic_usec(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}
