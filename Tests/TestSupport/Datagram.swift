internal import CLinux

/// A datagram, and the descriptors that it passed; the receiver has to close them.
public struct Datagram {
    /// Its text.
    public let text: String
    /// The descriptors, which are close-on-exec.
    public let descriptors: [CInt]

    /// The datagram that has waited longest; `nil` if there is none.
    public init?(receivedFrom socket: CInt) {
        var text = [UInt8](repeating: 0, count: 4096)
        // An array of words, because the kernel's header has to be aligned.
        var control = [UInt64](repeating: 0, count: 256)
        let (count, controlSize) = text.withUnsafeMutableBytes { text in
            control.withUnsafeMutableBytes { control in
                var part = iovec(iov_base: text.baseAddress, iov_len: text.count)
                return withUnsafeMutablePointer(to: &part) { part in
                    var message = msghdr()
                    message.msg_iov = part
                    message.msg_iovlen = 1
                    message.msg_control = control.baseAddress
                    message.msg_controllen = control.count
                    let count = recvmsg(socket, &message, CInt(MSG_DONTWAIT | MSG_CMSG_CLOEXEC))
                    return (count, Int(message.msg_controllen))
                }
            }
        }
        guard count >= 0 else { return nil }
        self.text = String(decoding: text.prefix(count), as: UTF8.self)
        // There is at most one header: its length, level and type in 16 bytes, then the descriptors.
        descriptors = control.withUnsafeBytes { control in
            guard controlSize >= 16 else { return [] }
            return (0..<(control.load(as: Int.self) - 16) / 4).map {
                control.load(fromByteOffset: 16 + $0 * 4, as: CInt.self)
            }
        }
    }
}
