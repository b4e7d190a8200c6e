// For struct ucred.
#define _GNU_SOURCE
#include "PassedDescriptors.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/uio.h>

bool passes_descriptors(int socket) {
    char byte;
    struct iovec part = {.iov_base = &byte, .iov_len = 1};
    // Without room the kernel returns no descriptors. It reports them, and the packet keeps them.
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    ssize_t count;
    do {
        count = recvmsg(socket, &message, MSG_PEEK | MSG_DONTWAIT);
    } while (count < 0 && errno == EINTR);
    return count >= 0 && message.msg_flags & MSG_CTRUNC;
}

void drop_packets(int socket) {
    int type = 0;
    socklen_t size = sizeof type;
    // A stream has no packets, and returns credentials at its end as well, so its end would not be seen.
    if (getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_SEQPACKET) return;
    // With this the kernel returns the sender's credentials with each packet, an empty one too, and none at the end.
    int on = 1;
    setsockopt(socket, SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
    // The sender's SO_SNDBUF bounds the queue: 278 empty packets with net.core.wmem_default's usual value, while root
    // and a raised net.core.wmem_max allow more. An error of the connection is returned once, before the packets.
    for (int calls = 0; calls < 4096; calls++) {
        char credentials[CMSG_SPACE(sizeof(struct ucred))];
        struct msghdr message = {.msg_control = credentials, .msg_controllen = sizeof credentials};
        if (recvmsg(socket, &message, MSG_DONTWAIT) < 0) {
            if (errno == EAGAIN) return;
        } else if (message.msg_controllen == 0) {
            return;
        }
    }
}
