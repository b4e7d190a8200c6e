import CLinux
import MemoryPressure
import Systemd
import WarningPolicy

/// The files of all scopes: opens, reads, polls and closes the files that the policy wants, and reports the results.
///
/// Each scope is watched once, however many hosts share it.
final class Sensors {
    let kernel: KernelTree
    /// Called from the loop with an event of a scope.
    var happened: (WarningPolicy.Input) -> Void = { _ in } {
        didSet { moves?.moved = happened }
    }

    /// Called from the loop with the locations of hosts.
    var found: (HostSearch) -> Void = { _ in }
    /// Called from the loop with the reason why the search for cgroups fails.
    var searchFailed: (String) -> Void = { _ in }

    private let mounts: CgroupMounts
    private let loop: EventLoop
    private var scopes: [ScopeID: OpenScope] = [:]
    private let openFiles = OpenFiles()
    private var moves: CgroupMoves?
    private var patrol: CgroupPatrol?
    /// The patrol that replaces the present one once its first search is done.
    private var next: CgroupPatrol?
    /// Files that are no longer needed, until none of their handlers can be running.
    private var useless: [OpenScope] = []
    private var closing: DeferredSource?
    private let closer: DescriptorCloser
    private var opener: BackgroundWork<ScopeOpening>?
    private var searcher: BackgroundWork<CgroupSearch>?
    private var finder: BackgroundWork<HostSearch>?
    /// Whether a search for hosts is under way.
    private(set) var isFinding = false

    /// Creates an instance without open files.
    ///
    /// The kernel waits for tens of milliseconds when a cgroup's triggers are removed; `closer` does that instead of
    /// the loop.
    init(kernel: KernelTree, closer: DescriptorCloser, loop: EventLoop) {
        self.kernel = kernel
        self.closer = closer
        self.loop = loop
        mounts = CgroupMounts(in: kernel)
        // Opened now, so that its descriptor is among those of a daemon without hosts.
        _ = try? mounts.all(of: .unified)
        moves = try? CgroupMoves(loop: loop)
        closing = try? loop.deferred { self.closeUseless() }
    }

    /// Opens a scope's files, in place of the present ones; ``happened`` receives the result, for the whole host before
    /// this returns.
    func open(_ scope: ScopeID, _ place: SensorPlace, _ plan: StallPlan) {
        let moves = makeMoves()
        moves?.beginAdding()
        let opening = ScopeOpening(scope, place, plan, in: kernel, hearing: moves?.watches)
        if place.cgroup != nil {
            if opener == nil { opener = makeOpener() }
            if opener?.hand(opening) == true { return }
            // Without a thread, or if the thread is far behind, the loop waits.
        }
        opening.perform()
        finish(opening)
    }

    private func makeOpener() -> BackgroundWork<ScopeOpening>? {
        // Paths and the kernel's texts are read into buffers on the stack.
        BackgroundWork(stackSize: 256 << 10, on: loop) {
            $0.perform()
        } done: {
            self.finish($0)
        }
    }

    /// Reports changed limits; created again if there was no descriptor for it before.
    private func makeMoves() -> CgroupMoves? {
        if moves == nil {
            moves = try? CgroupMoves(loop: loop)
            moves?.moved = happened
        }
        return moves
    }

    private func finish(_ opening: ScopeOpening) {
        if let added = opening.moves { moves?.endAdding(added, for: opening.scope) }
        happened(.opened(opening.scope, outcome(of: opening)))
    }

    /// Polls the opened files from now on.
    private func outcome(of opening: ScopeOpening) -> WatchOpening {
        let scope = opening.scope
        let place = opening.place
        let watchesChanges = opening.moves?.isWhole ?? false
        do throws(KernelError) {
            // Old and new files are open for a moment, so that a failure leaves the scope watched.
            let files = try opening.files()
            let next = try OpenScope(files, loop: loop) { trigger, isDead in
                let dead = KernelError("poll", place.name, errno: ENODEV)
                self.happened(isDead ? .unreadable(scope, dead) : .fired(scope, trigger))
            }
            openFiles.take(from: opening.headroomFiles)
            if let former = scopes.updateValue(next, forKey: scope) { dismiss(former) }
            return .opened(
                OpenedFiles(
                    rung: files.rung,
                    rungReason: files.rungReason,
                    window: files.window,
                    triggers: next.triggers,
                    first: files.first,
                    watchesChanges: watchesChanges,
                    isShort: files.isShort || !watchesChanges
                )
            )
        } catch {
            if scopes[scope] == nil { moves?.forget(scope, place) }
            return .failed(error)
        }
    }

    /// Closes a scope's files.
    func close(_ scope: ScopeID) {
        guard let open = scopes.removeValue(forKey: scope) else { return }
        moves?.forget(scope, open.files.place)
        if let directory = open.files.place.memory?.directory { openFiles.close(below: directory) }
        dismiss(open)
    }

    private func dismiss(_ open: OpenScope) {
        // It is not called for these files any more.
        open.end()
        guard let closing else { return }
        useless.append(open)
        closing.schedule()
    }

    private func closeUseless() {
        // Readers as well: the kernel closes a file's descriptors one after the other.
        while let descriptors = useless.last?.files.allDescriptors {
            // Removing it from the list closes its descriptors; nothing else refers to it.
            closer.closeLast(of: descriptors) { useless.removeLast() }
        }
    }

    /// Reads some of a scope's files.
    func read(_ scope: ScopeID, _ reads: SensorReads) -> WarningPolicy.Input {
        guard let open = scopes[scope] else {
            return .unreadable(scope, KernelError("read", "scope \(scope)", errno: EBADF))
        }
        do throws(KernelError) {
            return .read(scope, try open.files.read(reads, from: openFiles))
        } catch {
            return .unreadable(scope, error)
        }
    }

    /// Polls some of a scope's triggers.
    ///
    /// - Returns: Whether all of them can be polled.
    func listen(_ scope: ScopeID, _ triggers: TriggerSet) -> Bool {
        (try? scopes[scope]?.listen(triggers)) != nil
    }

    /// The present state of a scope; `nil` if it is not watched.
    func look(_ scope: ScopeID) -> ScopeLook? {
        guard let files = scopes[scope]?.files else { return nil }
        let stalls = (try? files.read(.stalls, from: openFiles))?.stalls
        return ScopeLook(at: .now, stalls: stalls, headroom: (try? files.read(.headroom, from: openFiles))?.headroom)
    }

    /// As above, for requests at any rate: the stalls may be five seconds old, and the headroom one second.
    ///
    /// The headroom is read from the files of up to 32 cgroups, and a page of records has 64 scopes.
    /// Reads delay the kernel's triggers without privilege, those of other programs too: a user that requested a record
    /// a hundred times a second made the triggers miss all pressure.
    func show(_ scope: ScopeID) -> ScopeLook? {
        guard let open = scopes[scope] else { return nil }
        let now = MonotonicInstant.now
        if open.shown.map({ $0.at.duration(to: now) >= .seconds(5) }) ?? true {
            open.shown = (now, (try? open.files.read(.stalls, from: openFiles))?.stalls)
        }
        if open.shownHeadroom.map({ $0.at.duration(to: now) >= .seconds(1) }) ?? true {
            open.shownHeadroom = (now, (try? open.files.read(.headroom, from: openFiles))?.headroom)
        }
        return ScopeLook(at: now, stalls: open.shown?.stalls, headroom: open.shownHeadroom?.headroom)
    }

    /// Searches for the cgroups of some hosts' processes; calls ``found`` with the result, with `waits` before this
    /// returns.
    ///
    /// Call it only after the last search is done: one thread at a time may use the mounts.
    func find(_ sought: [HostSearch.Sought], waits: Bool) {
        let search = HostSearch(sought, below: mounts)
        isFinding = true
        if !waits {
            if finder == nil { finder = makeFinder() }
            if finder?.hand(search) == true { return }
        }
        search.perform()
        finish(search)
    }

    private func finish(_ search: HostSearch) {
        isFinding = false
        found(search)
    }

    private func makeFinder() -> BackgroundWork<HostSearch>? {
        BackgroundWork(stackSize: 256 << 10, on: loop) {
            $0.perform()
        } done: {
            self.finish($0)
        }
    }

    /// Watches the cgroups that match patterns, and no others except those of hosts.
    ///
    /// The patterns take effect when the first search is done, with `waits` before this returns; the former ones apply
    /// until then.
    ///
    /// - Throws: ``KernelError`` if the patterns cannot be watched; then nothing changes.
    func watch(_ patterns: [CgroupPattern], waits: Bool) throws(KernelError) {
        guard !patterns.isEmpty else {
            dismissPatrol(&next)
            dismissPatrol(&patrol)
            return happened(.patternsChanged)
        }
        if searcher == nil { searcher = makeSearcher() }
        let patrol = try CgroupPatrol(patterns, in: kernel, loop: loop) { [searcher] in
            searcher?.hand($0) ?? false
        }
        patrol.began = { self.replacePatrol() }
        patrol.failed = { self.searchFailed($0) }
        patrol.appeared = { self.happened(.cgroupAppeared($0)) }
        patrol.vanished = { self.happened(.cgroupVanished(path: $0)) }
        dismissPatrol(&next)
        next = patrol
        patrol.look(waits: waits)
    }

    private func replacePatrol() {
        dismissPatrol(&patrol)
        swap(&patrol, &next)
        happened(.patternsChanged)
    }

    /// Releases a patrol; closing its watches makes the kernel wait for their readers.
    private func dismissPatrol(_ patrol: inout CgroupPatrol?) {
        guard let descriptor = patrol?.descriptor else { return }
        patrol?.end()
        closer.closeLast(of: [descriptor]) { patrol = nil }
    }

    private func makeSearcher() -> BackgroundWork<CgroupSearch>? {
        BackgroundWork(stackSize: 256 << 10, on: loop) {
            $0.perform()
        } done: {
            // A reload may have replaced the patrol.
            self.patrol?.take($0)
            self.next?.take($0)
        }
    }

    /// Releases memory of scopes that were closed.
    func shrink() {
        scopes.shrink()
        if useless.isEmpty { useless = [] }
        moves?.shrink()
    }

    /// Stops all reports, after the loop.
    func end() {
        happened = { _ in }
        found = { _ in }
        searchFailed = { _ in }
        patrol?.end()
        next?.end()
    }
}
