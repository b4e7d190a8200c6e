// For dladdr(3).
#define _GNU_SOURCE
#include "Trap.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// What every function that keeps a frame pointer has at the place that this one points to.
struct frame {
    const struct frame *caller;
    uintptr_t return_address;
};

static void write_text(const char *text) {
    size_t count = strlen(text);
    while (count > 0) {
        ssize_t written = write(STDERR_FILENO, text, count);
        if (written <= 0) return;
        (text += written, count -= (size_t)written);
    }
}

// Writes the calls that led here, the latest first: as far as this program's own code goes, all of which keeps frame
// pointers. A library's need not, and where it was called from cannot be told. Not by backtrace(3), which loads a library
// and needs tables of 120 KB.
static void write_calls(const struct frame *frame) {
    Dl_info own, place;
    if (!dladdr((const void *)(uintptr_t)clinux_trap, &own)) return;
    for (int count = 0; count < 64; count++) {
        // The call, and not what follows it: after a call that never returns that is another function.
        uintptr_t call = frame->return_address - 1;
        if (!dladdr((const void *)call, &place)) return;
        const char *slash = strrchr(place.dli_fname, '/');
        char line[128];
        snprintf(
            line, sizeof line, "memwarnd: called from %.64s+0x%jx\n", slash ? slash + 1 : place.dli_fname,
            (uintmax_t)(call - (uintptr_t)place.dli_fbase)
        );
        write_text(line);
        // A stack grows downwards.
        if (place.dli_fbase != own.dli_fbase || frame->caller <= frame) return;
        frame = frame->caller;
    }
}

static void end(const char *text, const struct frame *frame) __attribute__((noreturn));
static void end(const char *text, const struct frame *frame) {
    // There may be no reader of standard error, and a process that waits for the end of this one must not wait for a
    // reader.
    signal(SIGALRM, SIG_DFL);
    alarm(2);
    write_text("memwarnd: internal error: ");
    write_text(text);
    write_text("\n");
    write_calls(frame);
    abort();
}

void clinux_trap(const char *text) {
    end(text, __builtin_frame_address(0));
}

void clinux_trap_of_swift(void) {
    end("a value is out of its bounds, or there is no memory", __builtin_frame_address(0));
}
