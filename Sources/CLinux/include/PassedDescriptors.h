#ifndef CLINUX_PASSED_DESCRIPTORS_H
#define CLINUX_PASSED_DESCRIPTORS_H

#include <stdbool.h>

/// Whether the next packet in a socket's queue passes descriptors (SCM_RIGHTS, unix(7)). Takes nothing, and never blocks.
bool passes_descriptors(int socket);

#endif
