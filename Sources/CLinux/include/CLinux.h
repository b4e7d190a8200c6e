/// The C library as the Swift targets see it: its headers, and declarations that Swift cannot import, under their C
/// names. Macros with casts become constants, `errno` and `environ` become variables, and functions with variable
/// arguments become one function for each form in use.
///
/// It is compiled without _GNU_SOURCE, which replaces the `struct sockaddr *` of the socket calls by unions, to which
/// Swift converts no pointers.

#ifndef CLINUX_H
#define CLINUX_H

#include "AllocatorSymbols.h"
#include "ControlScalars.h"
#include "LockWord.h"
#include "Memory.h"
#include "PassedDescriptors.h"
#include "Prefetch.h"
#include "StackSpace.h"
#include "SwiftObject.h"
#include "TagMatch.h"
#include "ThreadNumber.h"
#include "Trap.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <grp.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

// With Musl these have to change: `__sighandler_t`, which is glibc's name; the request of ioctl(2), which is an int
// there; and `malloc_trim` in AllocatorSymbols.c, which Musl does not have, so that a host would claim the decrease of
// its resident set.
#ifndef __GLIBC__
#error "memwarnd and ResourceManager are for Linux with glibc; CLinux.h says what another C library would need"
#endif

#pragma clang assume_nonnull begin

static inline int clinux_errno(void) __attribute__((swift_name("getter:errno()")));
static inline int clinux_errno(void) { return errno; }

static inline void clinux_set_errno(int value) __attribute__((swift_name("setter:errno(_:)")));
static inline void clinux_set_errno(int value) { errno = value; }

// Declared by sys/socket.h with _GNU_SOURCE only.
extern int accept4(int socket, struct sockaddr *_Nullable address, socklen_t *_Nullable size, int flags);

// Declared by unistd.h with _GNU_SOURCE only.
extern char *_Nullable *_Nonnull environ __attribute__((swift_private));
extern char *_Nonnull program_invocation_short_name __attribute__((swift_private));

// What the program was started as, without folders.
static inline const char *clinux_program_name(void) __attribute__((swift_name("programName()")));
static inline const char *clinux_program_name(void) { return program_invocation_short_name; }

static inline char *_Nullable *_Nonnull clinux_environ(void) __attribute__((swift_name("getter:environ()")));
static inline char *_Nullable *_Nonnull clinux_environ(void) { return environ; }

static inline int clinux_open(const char *path, int flags) __attribute__((swift_name("open(_:_:)")));
static inline int clinux_open(const char *path, int flags) { return open(path, flags); }

static inline int clinux_open_mode(const char *path, int flags, mode_t mode)
    __attribute__((swift_name("open(_:_:_:)")));
static inline int clinux_open_mode(const char *path, int flags, mode_t mode) { return open(path, flags, mode); }

static inline int clinux_openat(int folder, const char *path, int flags) __attribute__((swift_name("openat(_:_:_:)")));
static inline int clinux_openat(int folder, const char *path, int flags) { return openat(folder, path, flags); }

static inline int clinux_openat_mode(int folder, const char *path, int flags, mode_t mode)
    __attribute__((swift_name("openat(_:_:_:_:)")));
static inline int clinux_openat_mode(int folder, const char *path, int flags, mode_t mode) {
    return openat(folder, path, flags, mode);
}

static inline int clinux_fcntl(int fd, int command) __attribute__((swift_name("fcntl(_:_:)")));
static inline int clinux_fcntl(int fd, int command) { return fcntl(fd, command); }

static inline int clinux_fcntl_int(int fd, int command, int argument) __attribute__((swift_name("fcntl(_:_:_:)")));
static inline int clinux_fcntl_int(int fd, int command, int argument) { return fcntl(fd, command, argument); }

static inline int clinux_ioctl(int fd, unsigned long request, void *argument)
    __attribute__((swift_name("ioctl(_:_:_:)")));
static inline int clinux_ioctl(int fd, unsigned long request, void *argument) { return ioctl(fd, request, argument); }

static inline int clinux_prctl(int option, unsigned long argument) __attribute__((swift_name("prctl(_:_:)")));
static inline int clinux_prctl(int option, unsigned long argument) { return prctl(option, argument, 0UL, 0UL, 0UL); }

// Replaces the initializer that Swift synthesizes for the structure: that initializer belongs to the first module with
// poll.h that the compiler sees, which the file may not import.
static inline struct pollfd clinux_pollfd(int fd, short events) __attribute__((swift_name("pollfd.init(fd:events:)")));
static inline struct pollfd clinux_pollfd(int fd, short events) { return (struct pollfd){.fd = fd, .events = events}; }

#pragma clang assume_nonnull end

// The values of the macros with the same names, which contain casts.
static void *_Nonnull const clinux_map_failed __attribute__((swift_name("MAP_FAILED"), swift_attr("nonisolated(unsafe)"))) =
    MAP_FAILED;
static const __sighandler_t _Nullable clinux_ignore __attribute__((swift_name("SIG_IGN"))) = SIG_IGN;
static const __sighandler_t _Nullable clinux_default __attribute__((swift_name("SIG_DFL"))) = SIG_DFL;

// With the type of `st_mode`, which the macros do not have.
static const mode_t clinux_type_mask __attribute__((swift_name("S_IFMT"))) = S_IFMT;
static const mode_t clinux_regular __attribute__((swift_name("S_IFREG"))) = S_IFREG;
static const mode_t clinux_socket __attribute__((swift_name("S_IFSOCK"))) = S_IFSOCK;

#endif
