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
