#ifndef CLINUX_PASSED_DESCRIPTORS_H
#define CLINUX_PASSED_DESCRIPTORS_H

#include <stdbool.h>

/// Whether the next packet in a socket's queue passes descriptors (SCM_RIGHTS, unix(7)). Takes nothing, and never blocks.
bool passes_descriptors(int socket);

/// Drops the packets in the queue of a SOCK_SEQPACKET socket of AF_UNIX, 4 095 at most, with the descriptors that they
/// pass; the last close of these may take long. The socket must not accept further packets. Does nothing with a socket
/// of another type.
void drop_packets(int socket);

#endif
