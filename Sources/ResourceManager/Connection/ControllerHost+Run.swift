internal import CLinux
internal import MemoryPressure
internal import MemwarnProtocol
internal import ResourceCaches

extension ControllerHost {
    /// Registers the host, delivers warnings and performs commands until the task is cancelled.
    ///
    /// Connects to a memwarnd daemon, delivers each warning as ``deliver(_:isolation:)`` does, and answers with what that released.
    /// But it does not block: once delegate, controllers, backings and observers have heard of the warning, caches shrink
    /// and the allocator returns pages on a thread that is there for it, and the caller's isolation is free for
    /// everything else. The level handlers and the outcome follow, back in that isolation.
    ///
    /// While there is no daemon, the process's own cgroup is watched instead, or the whole machine where that cannot be;
    /// the daemon is looked for after random waits of up to half a second at first and half a minute at last, and on
    /// return says what level holds. ``origin`` tells which of them it is. The program is the same in all cases.
    /// Where `$MEMORY_PRESSURE_WATCH` is `/dev/null`, which is what systemd sets for a service with
    /// `MemoryPressureWatch=off`, nothing is watched without a daemon. Other values need no heed: systemd names the file
    /// that is watched anyway.
    ///
    /// A raised ``level`` does not outlive what watches it: if the daemon goes away and nothing else can be watched, the
    /// level falls to normal after 30 seconds without a daemon; and when the run ends, at once. The level handlers hear of
    /// it, and caches may grow again if no other host of the process is at a raised level.
    ///
    /// Commands of `memwarnd send` are performed with ``handle(_:)``, in the order in which they came and after the
    /// warnings that have; the answer goes back. Up to 16 wait for a host that is busy. The next are answered as failed,
    /// with the reason `busy`.
    ///
    /// Results of ``ViewController/load(_:then:)`` are handed over, and a memory limit that was written reaches windows
    /// that follow it, with ``updateCapacity()``. When the task is cancelled, what ``save(_:)`` was asked for is written
    /// before this returns.
    ///
    /// Runs in the caller's isolation, which is the one the host's controllers live in; everything else may use the host
    /// there while this waits. Waiting costs nothing: one thread sleeps in the kernel, and without a daemon it wakes up
    /// to look for one. One delivery at a time: what arrives during one waits until it has ended, and of several warnings
    /// the host gets the newest.
    ///
    /// A host runs once at a time, and again once a run has ended: then it registers anew. A second call while a run lasts
    /// is a mistake that is not refused: the daemon sees two hosts of that name, each warning is delivered twice, finished
    /// loads wake the later run only, and the run that ends first sets ``origin`` and ``level`` back for both and keeps
    /// finished loads from the other.
    ///
    /// - Throws: `CancellationError` when the task is cancelled, which is how it ends. `KernelError` if the process
    ///   has no descriptor or thread left to wait with.
    public nonisolated(nonsending) func run() async throws {
        let setup = receiverSetup
        let session = try SharedSession(setup)
        reclaiming.setRunning(true)
        defer { reclaiming.setRunning(false) }
        try session.start(setup)
        defer { session.stop() }
        finishedLoads.onArrival { session.noteLoads() }
        defer { finishedLoads.onArrival(nil) }
        updateCapacity()
        await takeNews(of: session, isolation: #isolation)
        change(to: .none)
        endPressure()
        await finishSaves()
        throw CancellationError()
    }

    private func takeNews(of session: SharedSession, isolation: isolated (any Actor)?) async {
        await withTaskCancellationHandler {
            // A closure runs on no actor, wherever it is made, unless it captures the one it belongs to (SE-0420).
            _ = isolation
            while let news = await session.next() {
                switch news {
                case .origin(let origin): change(to: origin)
                case .warning(let warning, let isAnswered): await take(warning, isAnswered, from: session)
                case .limits: updateCapacity()
                case .loads: receiveLoads()
                case .command(let command): session.answer(handle(command).reply)
                }
            }
        } onCancel: {
            session.stop()
        }
    }

    var receiverSetup: Receiver.Setup {
        Receiver.Setup(
            hello: Hello(
                priority: options.priority,
                name: name.prefix(utf8: TextLimit.name.upperBound),
                accepts: .commands,
                allocator: HostAllocator(Allocator.current.kind)
            ),
            sockets: options.socket.map { [$0] } ?? SocketLocation.candidates,
            kernel: kernel,
            watchesKernel: getenv("MEMORY_PRESSURE_WATCH").map { String(cString: $0) } != "/dev/null",
            level: level,
            releasable: { [reclaiming] in reclaiming.releasableBytes }
        )
    }

    private nonisolated(nonsending) func take(
        _ warning: MemoryWarning,
        _ isAnswered: Bool,
        from session: SharedSession
    ) async {
        // The limit may have moved unseen; but first things first, and files take time.
        defer { updateCapacity() }
        let release = await deliverWithoutBlocking(warning, residentBefore: session.residentSet.bytes)
        guard isAnswered else { return }
        session.answer(
            Acknowledgement(
                released: release.released,
                residentBefore: release.residentBefore,
                residentAfter: release.residentAfter,
                duration: release.duration.microseconds,
                releasable: releasableBytes
            )
        )
    }
}

extension HostAllocator {
    fileprivate init(_ kind: Allocator.Kind) {
        self =
            switch kind {
            case .other: .other
            case .glibc: .glibc
            case .jemalloc: .jemalloc
            case .mimalloc: .mimalloc
            case .tcmalloc: .tcmalloc
            }
    }
}

extension CommandOutcome {
    /// The outcome as it travels: without NUL, which ends strings elsewhere, and cut to the limit.
    var reply: CommandReply {
        let (result, text): (CommandReply.Result, String) =
            switch self {
            case .done(let answer): (.done, answer)
            case .failed(let reason): (.failed, reason)
            case .unhandled: (.unhandled, "")
            }
        let limit = TextLimit.text.upperBound
        // Cut first, since a text may be as long as it likes, and once more, since U+FFFD is longer than NUL.
        let printable = text.prefix(utf8: limit).split(separator: "\0", omittingEmptySubsequences: false)
        return CommandReply(result: result, text: printable.joined(separator: "\u{FFFD}").prefix(utf8: limit))
    }
}
