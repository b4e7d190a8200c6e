import CLinux
import MemoryPressure
import Systemd
import WarningPolicy

/// The files of all scopes: opens, reads, polls and closes what the policy wants, and says what came of it.
///
/// Each scope is watched once, however many hosts share it.
final class Sensors {
    let kernel: KernelTree
    /// Called from the loop with what happened to a scope.
    var happened: (WarningPolicy.Input) -> Void = { _ in } {
        didSet { moves?.moved = happened }
    }

    /// Called from the loop with where hosts are.
    var found: (HostSearch) -> Void = { _ in }
    /// Called from the loop with what keeps cgroups from being looked for.
    var searchFailed: (String) -> Void = { _ in }

    private let mounts: CgroupMounts
    private let loop: EventLoop
    private var scopes: [ScopeID: OpenScope] = [:]
    private var moves: CgroupMoves?
    private var patrol: CgroupPatrol?
    /// The patrol that replaces the present one once its first search is done.
    private var next: CgroupPatrol?
    /// Files that are not wanted any more, until no handler of theirs can be running.
    private var useless: [OpenScope] = []
    private var closing: DeferredSource?
    private let closer: DescriptorCloser
    private var opener: BackgroundWork<ScopeOpening>?
    private var searcher: BackgroundWork<CgroupSearch>?
    private var finder: BackgroundWork<HostSearch>?
    /// Whether hosts are looked for.
    private(set) var isFinding = false

    /// Opens nothing yet.
    ///
    /// The kernel waits for tens of milliseconds when a cgroup's triggers are taken back; `closer` does, and the loop does not.
    init(kernel: KernelTree, closer: DescriptorCloser, loop: EventLoop) {
        self.kernel = kernel
        self.closer = closer
        self.loop = loop
        mounts = CgroupMounts(in: kernel)
        // Now, so that its descriptor is among those of a daemon without hosts.
        _ = try? mounts.all(of: .unified)
        moves = try? CgroupMoves(loop: loop)
        closing = try? loop.deferred { self.closeUseless() }
    }

    /// Has a scope's files opened, in place of those that are open; ``happened`` hears what came of it, for the whole host
    /// before this returns.
    func open(_ scope: ScopeID, _ place: SensorPlace, _ plan: StallPlan) {
        let moves = makeMoves()
        moves?.beginAdding()
        let opening = ScopeOpening(scope, place, plan, in: kernel, hearing: moves?.watches)
        if place.cgroup != nil {
            if opener == nil { opener = makeOpener() }
            if opener?.hand(opening) == true { return }
            // Without a thread, or far behind it, the loop waits.
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

    /// What hears of limits that are moved; made again where there was no descriptor for it.
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

    /// Polls what was opened from now on.
    private func outcome(of opening: ScopeOpening) -> WatchOpening {
        let scope = opening.scope
        let place = opening.place
        let watchesChanges = opening.moves?.isWhole ?? false
        do throws(KernelError) {
            // Both are open for a moment, so that a failure leaves the scope watched.
            let files = try opening.files()
            let next = try OpenScope(files, loop: loop) { trigger, isDead in
                let dead = KernelError("poll", place.name, errno: ENODEV)
                self.happened(isDead ? .unreadable(scope, dead) : .fired(scope, trigger))
            }
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
        dismiss(open)
    }

    private func dismiss(_ open: OpenScope) {
        // It is not called for them any more.
        open.end()
        guard let closing else { return }
        useless.append(open)
        closing.schedule()
    }

    private func closeUseless() {
        // Readers too: the kernel closes a file's descriptors one after the other.
        while let descriptors = useless.last?.files.allDescriptors {
            // Out of the list it goes with its own descriptors; nothing else refers to it.
            closer.closeLast(of: descriptors) { useless.removeLast() }
        }
    }

    /// Reads some of a scope's files.
    func read(_ scope: ScopeID, _ reads: SensorReads) -> WarningPolicy.Input {
        guard let open = scopes[scope] else {
            return .unreadable(scope, KernelError("read", "scope \(scope)", errno: EBADF))
        }
        do throws(KernelError) {
            return .read(scope, try open.files.read(reads))
        } catch {
            return .unreadable(scope, error)
        }
    }

    /// Polls some of a scope's triggers.
    ///
    /// - Returns: Whether that can be done.
    func listen(_ scope: ScopeID, _ triggers: TriggerSet) -> Bool {
        (try? scopes[scope]?.listen(triggers)) != nil
    }

    /// How a scope stands now; `nil` if it is not watched.
    func look(_ scope: ScopeID) -> ScopeLook? {
        guard let files = scopes[scope]?.files else { return nil }
        let stalls = (try? files.read(.stalls))?.stalls
        return ScopeLook(at: .now, stalls: stalls, headroom: (try? files.read(.headroom))?.headroom)
    }

    /// The same for people, as often as they ask: the stalls may be five seconds old.
    ///
    /// Reads keep the kernel from serving triggers without privilege, those of other programs too: a user that asked for a record a
    /// hundred times a second had no pressure heard of at all.
    func show(_ scope: ScopeID) -> ScopeLook? {
        guard let open = scopes[scope] else { return nil }
        let now = MonotonicInstant.now
        if open.shown.map({ $0.at.duration(to: now) >= .seconds(5) }) ?? true {
            open.shown = (now, (try? open.files.read(.stalls))?.stalls)
        }
        return ScopeLook(at: now, stalls: open.shown?.stalls, headroom: (try? open.files.read(.headroom))?.headroom)
    }

    /// Finds out where the processes of some hosts are; ``found`` is called with that, with `waits` before this returns.
    ///
    /// Not before the last search is done: the mounts are used by one thread at a time.
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

    /// Watches the cgroups that match patterns, and no others that no host lives in.
    ///
    /// The patterns are in force when the first search is done, with `waits` before this returns; until then the former ones are.
    ///
    /// - Throws: ``KernelError`` where they cannot be looked for; then all stays as it was.
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

    /// Lets go of a patrol; the kernel waits for readers of its watches when they are closed.
    private func dismissPatrol(_ patrol: inout CgroupPatrol?) {
        guard let descriptor = patrol?.descriptor else { return }
        patrol?.end()
        closer.closeLast(of: [descriptor]) { patrol = nil }
    }

    private func makeSearcher() -> BackgroundWork<CgroupSearch>? {
        BackgroundWork(stackSize: 256 << 10, on: loop) {
            $0.perform()
        } done: {
            // A reload may have put another in its place.
            self.patrol?.take($0)
            self.next?.take($0)
        }
    }

    /// Tells of nothing any more, after the loop.
    func end() {
        happened = { _ in }
        found = { _ in }
        searchFailed = { _ in }
        patrol?.end()
        next?.end()
    }
}
