#include "CHammer.h"

#include <string.h>

void hammer_fail(const char *message) {
    // A single write, which the output of other threads cannot divide.
    char line[1024];
    int length = snprintf(line, sizeof line, "violation: %s\n", message);
    if (length >= (int)sizeof line) length = sizeof line - 1;
    fflush(stdout);
    if (write(STDERR_FILENO, line, length) < 0) _exit(1);
    _exit(1);
}
