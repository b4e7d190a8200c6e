internal import CLinux
package import MemoryPressure

/// One end of a connection that carries frames: an `AF_UNIX` socket of type `SOCK_SEQPACKET`.
package struct FrameSocket: ~Copyable {
    private let descriptor: Descriptor

    /// Takes over a connected socket.
    package init(taking descriptor: consuming Descriptor) {
        self.descriptor = descriptor
    }

    /// Connects to a daemon.
    ///
    /// Does not block: a full connection queue of the daemon is an error.
    ///
    /// - Throws: ``KernelError``: `ENOENT` and `ECONNREFUSED` mean that no daemon listens there, `EACCES` that this
    ///   user may not connect, `EAGAIN` that the queue is full.
    package init(connectingTo path: String) throws(KernelError) {
        let descriptor = try Self.make(for: path)
        try Self.connect(descriptor.raw, to: path)
        self.descriptor = descriptor
    }

    /// Connects to a daemon, and blocks for as long as `patience` at most while its connection queue is full.
    ///
    /// - Throws: ``KernelError`` as above.
    package init(connectingTo path: String, within patience: Duration) throws(KernelError) {
        let descriptor = try Self.make(for: path)
        let raw = descriptor.raw
        let (seconds, microseconds) = patience.microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        var time = timeval(tv_sec: Int(seconds), tv_usec: Int(microseconds))
        setsockopt(raw, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        Self.setBlocking(raw, true)
        try Self.connect(raw, to: path)
        Self.setBlocking(raw, false)
        self.descriptor = descriptor
    }

    // Inlined, because the daemon has a single call, and its size is bounded.
    @inline(__always)
    private static func connect(_ raw: CInt, to path: String) throws(KernelError) {
        let address = try SocketAddress(path: path)
        let result = address.withSockaddr { pointer, length in
            retryingInterrupted { CLinux.connect(raw, pointer, length) }
        }
        guard result == 0 else { throw KernelError("connect to", path, errno: errno) }
    }

    private static func setBlocking(_ raw: CInt, _ blocks: Bool) {
        let flags = fcntl(raw, F_GETFL, 0)
        _ = fcntl(raw, F_SETFL, blocks ? flags & ~O_NONBLOCK : flags | O_NONBLOCK)
    }

    /// Creates a socket that does not block and accepts no passed descriptors, of the type that carries frames or of
    /// another.
    ///
    /// - Throws: ``KernelError``, most likely `EMFILE`.
    package static func make(
        for path: String,
        type: CInt = CInt(SOCK_SEQPACKET.rawValue)
    ) throws(KernelError) -> Descriptor {
        let raw = socket(AF_UNIX, type | CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard raw >= 0 else { throw KernelError("make a socket for", path, errno: errno) }
        PassedDescriptors.refuse(on: raw)
        return Descriptor(taking: raw)
    }

    /// The descriptor to wait on; valid while the socket lives.
    package var fileDescriptor: CInt { descriptor.raw }

    /// The result of sending a packet.
    package enum Sent: Equatable {
        /// It is in the peer's queue.
        case sent
        /// The peer does not read, and its queue is full.
        case full
        /// The kernel has no memory for it, although the queue may have room; this is to be expected here, and passes.
        case short
        /// The peer is gone.
        case closed

        /// The result of a send that failed with this errno.
        package init(failing error: CInt) {
            self =
                switch error {
                case EAGAIN: .full
                case ENOBUFS, ENOMEM: .short
                default: .closed
                }
        }
    }

    /// Sends one encoded frame; never blocks.
    package func send(_ packet: UnsafeRawBufferPointer) -> Sent {
        let count = retryingInterrupted {
            CLinux.send(descriptor.raw, packet.baseAddress, packet.count, CInt(MSG_NOSIGNAL | MSG_DONTWAIT))
        }
        return count >= 0 ? .sent : Sent(failing: errno)
    }

    /// Encodes and sends a frame; never blocks.
    ///
    /// - Throws: ``FrameError`` for a frame that cannot be encoded.
    package func send(_ frame: Frame) throws(FrameError) -> Sent {
        try withUnsafeTemporaryAllocation(byteCount: Frame.maximumSize, alignment: 8) { buffer throws(FrameError) in
            let count = try frame.encode(into: buffer)
            return send(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// The result of reading the queue.
    package enum Received: Sendable {
        /// One packet of this size, at the start of the given buffer.
        case packet(Int)
        /// The queue is empty.
        case empty
        /// A packet larger than any frame; it is lost.
        case oversized(Int)
        /// The peer is gone.
        case closed
    }

    /// Reads one packet from the queue into a buffer of ``Frame/maximumSize`` bytes; never blocks.
    package func receive(into buffer: UnsafeMutableRawBufferPointer) -> Received {
        // With MSG_TRUNC the kernel returns the packet's real size.
        let flags = CInt(MSG_DONTWAIT | MSG_TRUNC)
        let count = retryingInterrupted { recv(descriptor.raw, buffer.baseAddress, buffer.count, flags) }
        switch count {
        case 1...buffer.count: return .packet(count)
        // An empty packet looks like the end; no frame is empty, so the connection of a peer that sends one ends as
        // well.
        case 0: return .closed
        case -1: return errno == EAGAIN ? .empty : .closed
        default: return .oversized(count)
        }
    }

    /// The peer's credentials.
    ///
    /// - Throws: ``KernelError`` of getsockopt(2).
    package func peer() throws(KernelError) -> Peer {
        try Peer(connectedTo: descriptor.raw)
    }
}
