package import MemoryPressure

extension ClientSession {
    /// An event for the session.
    ///
    /// Errors carry the errno of the system call.
    package enum Input {
        /// Time has passed; also the first input.
        case time

        /// The requested connection exists; the host could release this number of bytes now.
        case connected(releasable: UInt64)
        /// The connection could not be made.
        case notConnected(errno: CInt)
        /// The hello is in the daemon's queue.
        case sent
        /// The hello could not be sent and will not be; `EAGAIN` if the queue is full. The sending of answers has no
        /// result: if the connection has ended, ``closed`` reports it, otherwise the daemon counts the host as silent.
        case notSent(errno: CInt)
        /// A packet from the daemon, which is read during the call and not kept.
        case packet(UnsafeRawBufferPointer)
        /// A packet from the daemon of this size, which is more than a frame may have.
        case oversized(Int)
        /// The connection has ended.
        case closed

        /// The kernel is watched, for the scope with this path.
        case kernelWatched(scope: String)
        /// The kernel cannot be watched.
        case kernelNotWatched(errno: CInt)
        /// The watch of the kernel has ended: the cgroup was removed.
        case kernelLost(errno: CInt)
        /// The kernel's readings raise, end or, if `isRepeat`, confirm a level.
        case kernelLevel(PressureLevel, PressureReason, isRepeat: Bool)

        /// The host is idle. A question that it was given before is answered by now, or never.
        case next
        /// The host has handled a warning; this is the result.
        case acknowledged(Acknowledgement)
        /// The host has performed a command.
        case performed(CommandReply)
    }

    /// An action that the owner performs.
    package enum Effect: Equatable, Sendable {
        /// Connect to the socket of this index. Result: ``Input/connected(releasable:)`` or ``Input/notConnected(errno:)``.
        case connect(socket: Int)
        /// Send hello on the new connection. Result: ``Input/sent`` or ``Input/notSent(errno:)``.
        case register(Hello)
        /// Send the acknowledgement of the warning of this round.
        case acknowledge(UInt64, Acknowledgement)
        /// Send the outcome of the command with this sequence.
        case reply(UInt64, CommandReply)
        /// Close the connection.
        case disconnect

        /// Watch the kernel, beginning at this level. Result: ``Input/kernelWatched(scope:)`` or
        /// ``Input/kernelNotWatched(errno:)``.
        case watchKernel(PressureLevel)
        /// Stop watching the kernel.
        case stopWatchingKernel

        /// News for the host has arrived: if the host is idle, ``Input/next`` delivers it.
        case news
        /// Tell the host the present origin of its warnings.
        case announce(Origin)
        /// Let the host handle a warning.
        case deliver(Delivery)
        /// Let the host perform a command.
        case perform(CommandRequest)
    }

    /// The origin of the host's warnings.
    package enum Origin: Equatable, Sendable {
        /// Nowhere.
        case none
        /// A daemon, at the socket of this index.
        case daemon(socket: Int)
        /// The kernel, watched by the process itself.
        case kernel
    }

    /// A warning on its way to the host.
    package struct Delivery: Equatable, Sendable {
        /// The warning; with ``WarningOptions/answerWanted``, ``Input/acknowledged(_:)`` sends an answer.
        package var warning: Warning
        /// The daemon's number of the round; 0 for a warning without a round, or whose connection has ended.
        package var round: UInt64

        /// Wants no answer any more.
        mutating func forgetRound() {
            warning.options.remove(.answerWanted)
            round = 0
        }
    }
}
