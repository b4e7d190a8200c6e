internal import CLinux
internal import MemoryPressure
internal import MemwarnProtocol
internal import ResourceCaches
internal import Synchronization

extension ControllerHost {
    /// Registers the host, delivers warnings and performs commands until the task is cancelled.
    ///
    /// Connects to a memwarnd daemon, delivers each warning as ``deliver(_:isolation:)`` does, and answers with the
    /// outcome. Unlike that method it does not block: after the delegate, controllers, backings and observers have been
    /// called, a separate thread shrinks the caches and returns pages to the kernel. Meanwhile the caller's isolation
    /// is free for other work. The level handlers and the outcome follow, back in that isolation.
    ///
    /// While there is no daemon, the host watches the process's own cgroup, or the whole machine if it cannot watch the
    /// cgroup. It looks for the daemon again after random waits, of up to half a second at first and up to half a
    /// minute later. A daemon that returns sends the present level. ``origin`` tells where warnings come from; the
    /// program is the same in all cases. If `$MEMORY_PRESSURE_WATCH` is `/dev/null`, which systemd sets for a service
    /// with `MemoryPressureWatch=off`, nothing is watched without a daemon. Other values make no difference: systemd
    /// names the file that the host watches anyway.
    ///
    /// A raised ``level`` does not outlive its source. If the daemon goes away and nothing else can be watched, the
    /// level falls to normal after 30 seconds; when the run ends, it falls at once. The level handlers are called, and
    /// caches may grow again if no other host of the process is at a raised level.
    ///
    /// Commands of `memwarnd send` are performed with ``handle(_:)``, in the order of arrival, after any warnings that
    /// have arrived, and are answered. A busy host has a queue of 16 commands; further commands fail with the reason
    /// `busy`.
    ///
    /// Also delivers the results of ``ViewController/load(_:then:)``, and passes a changed memory limit to windows that
    /// follow it, with ``updateCapacity()``. When the task is cancelled, work that was passed to ``save(_:)`` is
    /// finished before this returns. Views in service stay in service: hide their windows afterwards, and wait with
    /// ``finishSaves()`` until their controllers have saved in ``ViewController/viewWillDisappear()``.
    ///
    /// Runs in the caller's isolation, which must be that of the host's controllers; other code of that isolation may
    /// use the host while this waits. Waiting costs no CPU time: one thread sleeps in the kernel and, without a daemon,
    /// wakes up to look for one. Deliveries do not overlap: a warning that arrives during one is delivered after it;
    /// if several arrive, only the newest is delivered.
    ///
    /// A host runs once at a time. After a run has ended it can run again, and then registers again. A second call
    /// while a run lasts is a mistake that is not detected: the daemon sees two hosts of that name, each warning is
    /// delivered twice, finished loads wake only the later run, and the run that ends first resets ``origin`` and
    /// ``level`` for both and keeps finished loads from the other.
    ///
    /// **Several hosts in a process** share the thread on which caches shrink: it serves them one after the other. A
    /// `Reclaimable` that takes three seconds for one host's warning delays the outcomes and answers of all hosts whose
    /// warnings arrive meanwhile, but not their callbacks. All hosts see the same fall of the process's resident set;
    /// each byte of it is reported to the daemon by one host.
    ///
    /// - Throws: `CancellationError` when the task is cancelled, which is the normal end. `KernelError` if the process
    ///   has no descriptor or thread left to wait with, or later if poll(2) fails.
    ///   ``ResourceFault/unusableHostName(_:)`` at once, after the fault was reported, if ``name`` is empty or contains
    ///   NUL.
    public nonisolated(nonsending) func run() async throws {
        // A daemon takes no such name, so the host would run without ever being registered.
        guard !name.isEmpty, !name.utf8.contains(0) else {
            report(.unusableHostName(name), by: self)
            throw ResourceFault.unusableHostName(name)
        }
        declareReleasable()
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
        receive(.none)
        endPressure()
        await finishSaves()
        if let failure = session.failure { throw failure }
        throw CancellationError()
    }

    /// Notes the origin of the next warnings; a daemon again at each registration.
    private func receive(_ origin: PressureOrigin) {
        if case .daemon(let socket) = origin { reclaiming.setDaemon(socket) } else { reclaiming.setDaemon(nil) }
        change(to: origin)
    }

    private func takeNews(of session: SharedSession, isolation: isolated (any Actor)?) async {
        await withTaskCancellationHandler {
            await withTaskExecutorPreference(DirectHandover.preference(in: isolation)) {
                // A closure runs on no actor, wherever it is made, unless it captures the actor that it belongs to
                // (SE-0420).
                _ = isolation
                while let news = await session.next() {
                    switch news {
                    case .origin(let origin): receive(origin)
                    case .warning(let warning, let isAnswered): await take(warning, isAnswered, from: session)
                    case .limits: updateCapacity()
                    case .loads: receiveLoads()
                    case .command(let command): session.answer(handle(command).reply)
                    }
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
            releasable: { [reclaiming, declared] in
                reclaiming.releasableBytes.addingSaturated(declared.bytes.load(ordering: .relaxed))
            }
        )
    }

    /// Stores the bytes that views and resources hold at present, for the next registration.
    private func declareReleasable() { declared.bytes.store(ownReleasableBytes, ordering: .relaxed) }

    private nonisolated(nonsending) func take(
        _ warning: MemoryWarning,
        _ isAnswered: Bool,
        from session: SharedSession
    ) async {
        // The limit may have moved without an event. The warning comes first, since reading files takes time.
        defer {
            declareReleasable()
            updateCapacity()
        }
        let release = await deliverWithoutBlocking(warning, residentBefore: session.residentSet.bytes)
        guard isAnswered else { return }
        session.answer(
            Acknowledgement(
                released: release.released,
                residentBefore: reclaiming.reportFall(
                    from: release.residentBefore,
                    to: release.residentAfter,
                    in: warning.round
                ),
                residentAfter: release.residentAfter,
                duration: release.duration.microseconds,
                releasable: releasableBytes
            )
        )
    }
}

/// What the views and resources of a host held when it last ran code of the library: the thread that registers the host
/// cannot ask them.
final class DeclaredBytes: Sendable {
    let bytes = Atomic<UInt64>(0)
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
    /// The outcome in the form that is sent: without NUL, which ends strings in other languages, and cut to the limit.
    var reply: CommandReply {
        let (result, text): (CommandReply.Result, String) =
            switch self {
            case .done(let answer): (.done, answer)
            case .failed(let reason): (.failed, reason)
            case .unhandled: (.unhandled, "")
            }
        let limit = TextLimit.text.upperBound
        // Cut first, since the text may be very long, and again afterwards, since U+FFFD is longer than NUL.
        let printable = text.prefix(utf8: limit).split(separator: "\0", omittingEmptySubsequences: false)
        return CommandReply(result: result, text: printable.joined(separator: "\u{FFFD}").prefix(utf8: limit))
    }
}
