package import MemoryPressure

extension ClientSession {
    /// What has happened.
    ///
    /// Errors carry the errno of the system call.
    package enum Input {
        /// Time has passed; also the first input.
        case time

        /// The connection that was asked for is there; the host could release so many bytes now.
        case connected(releasable: UInt64)
        /// It could not be made.
        case notConnected(errno: CInt)
        /// The hello is in the daemon's queue.
        case sent
        /// It is not, and will not be; `EAGAIN` if the queue is full. What becomes of an answer is not told: if the
        /// connection has ended, ``closed`` is, and else the daemon counts the host silent.
        case notSent(errno: CInt)
        /// A packet from the daemon, which is read during the call and not kept.
        case packet(UnsafeRawBufferPointer)
        /// A packet from the daemon of so many bytes, more than a frame may have.
        case oversized(Int)
        /// The connection has ended.
        case closed

        /// The kernel is watched, for the scope of this path.
        case kernelWatched(scope: String)
        /// It cannot be watched.
        case kernelNotWatched(errno: CInt)
        /// It was watched, and can no longer be there: a cgroup was removed.
        case kernelLost(errno: CInt)
        /// The kernel's readings say that there is a level to announce; one that is not new if `isRepeat`.
        case kernelLevel(PressureLevel, PressureReason, isRepeat: Bool)

        /// The host has nothing to do. What it was given before is answered now or never.
        case next
        /// The host has done what a warning asks for, and says what that brought.
        case acknowledged(Acknowledgement)
        /// The host has performed a command.
        case performed(CommandReply)
    }

    /// What is to be done.
    package enum Effect: Equatable, Sendable {
        /// Connect to the socket of this index. Result: ``Input/connected(releasable:)`` or ``Input/notConnected(errno:)``.
        case connect(socket: Int)
        /// Send hello on the new connection. Result: ``Input/sent`` or ``Input/notSent(errno:)``.
        case register(Hello)
        /// Send what a warning of this round brought.
        case acknowledge(UInt64, Acknowledgement)
        /// Send what became of the command of this sequence.
        case reply(UInt64, CommandReply)
        /// Close the connection.
        case disconnect

        /// Watch the kernel, beginning at this level. Result: ``Input/kernelWatched(scope:)`` or
        /// ``Input/kernelNotWatched(errno:)``.
        case watchKernel(PressureLevel)
        /// Watch it no longer.
        case stopWatchingKernel

        /// Something has come in for the host: if the host has nothing to do, ``Input/next`` brings it.
        case news
        /// Tell the host where its warnings come from now.
        case announce(Origin)
        /// Have the host do what a warning asks for.
        case deliver(Delivery)
        /// Have the host perform a command.
        case perform(CommandRequest)
    }

    /// Where the host's warnings come from.
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
        /// What is said; with ``WarningOptions/answerWanted``, ``Input/acknowledged(_:)`` sends an answer.
        package var warning: Warning
        /// The daemon's number of the round; 0 for what belongs to none.
        package var round: UInt64
    }
}
