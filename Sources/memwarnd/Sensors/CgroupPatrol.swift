import MemoryPressure
import Systemd

/// Follows on the loop which cgroups match patterns.
final class CgroupPatrol {
    /// Called with a cgroup that has appeared.
    var appeared: (SensorPlace) -> Void = { _ in }
    /// Called with the path of a cgroup that was removed.
    var vanished: (String) -> Void = { _ in }
    /// Called once, when the first search is done and none of its results is reported yet.
    var began: () -> Void = {}
    /// Called with the error of a search, unless the search before it failed for the same reason.
    var failed: (String) -> Void = { _ in }

    private let finder: CgroupFinder
    private var hasBegun = false
    private var failure: String?
    private let hand: (CgroupSearch) -> Bool
    /// The results that are not reported yet, in order; no search runs before all are reported.
    private var findings: ArraySlice<CgroupSearch.Finding> = []
    /// Whether a search is under way.
    private var isSearching = false
    private var source: IOSource?
    /// The event source of the next turn: a timer, since deferred work always comes first among equals, and would leave
    /// peers no turn.
    private var turn: TimerSource?
    private var retry: TimerSource?
    /// The delay before a failed search is repeated: another program has to free memory or a descriptor first.
    private static let pause = Duration.seconds(5)

    /// Does not search yet; `hand` passes a search to another thread, which later calls ``take(_:)``, and returns
    /// whether it could.
    ///
    /// - Throws: ``KernelError`` if the patterns cannot be watched.
    init(
        _ patterns: [CgroupPattern],
        in kernel: KernelTree,
        loop: EventLoop,
        hand: @escaping (CgroupSearch) -> Bool
    ) throws(KernelError) {
        finder = try CgroupFinder(patterns, in: kernel)
        self.hand = hand
        do throws(SystemdError) {
            source = try loop.watch(finder.descriptor, for: .readable) { _ in self.look() }
            retry = try loop.timer(accuracy: .seconds(1)) { self.look() }
            turn = try loop.timer(accuracy: .microseconds(1)) { self.report() }
        } catch {
            throw KernelError("wait for changes of", "cgroups", errno: error.errno)
        }
    }

    deinit {
        // The source has to be dropped before the finder closes its descriptor.
        source = nil
    }

    /// The descriptor by which the kernel reports changes.
    var descriptor: CInt { finder.descriptor }

    /// Ends the patrol; without this call it continues until the loop has ended.
    func end() {
        (source, retry, turn) = (nil, nil, nil)
        (appeared, vanished) = ({ _ in }, { _ in })
        (began, failed) = ({}, { _ in })
    }

    /// Searches for changes since the last search; the first search reports all cgroups at once.
    ///
    /// With `waits`, this is done when the call returns, even if the kernel takes long.
    func look(waits: Bool = false) {
        guard !isSearching else { return }
        isSearching = true
        // The next search begins only after all results are reported.
        source?.disable()
        let search = CgroupSearch(finder)
        guard waits || !hand(search) else { return }
        search.perform()
        take(search)
    }

    /// Takes the results of a search from another thread; ignores a search of another patrol.
    func take(_ search: CgroupSearch) {
        guard search.finder === finder else { return }
        isSearching = false
        let reason = search.error.map { "\($0)" }
        if let reason, reason != failure { failed(reason) }
        failure = reason
        findings += search.findings
        if reason != nil { retry?.arm(after: Self.pause) }
        if !hasBegun {
            hasBegun = true
            began()
            // Every cgroup that is known now is either configured or not.
            while let finding = findings.popFirst() { report(finding) }
        }
        report()
    }

    /// Reports results for the length of a turn, and the rest later: a user that may create cgroups where a pattern
    /// matches can create a thousand at once.
    private func report() {
        let start = MonotonicInstant.now
        repeat {
            guard let finding = findings.popFirst() else {
                try? source?.enable()
                return
            }
            report(finding)
        } while start.duration(to: .now) < PollGroup.turn
        turn?.arm(after: .zero)
    }

    private func report(_ finding: CgroupSearch.Finding) {
        switch finding {
        case .appeared(let place): appeared(place)
        case .vanished(let path): vanished(path)
        case .tooMany(let limit): failed("more than \(limit) cgroups match; the rest is not watched")
        }
    }
}
