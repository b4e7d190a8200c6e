import MemoryPressure
import Systemd

/// Keeps an eye on which cgroups match patterns, on the loop.
final class CgroupPatrol {
    /// Called with a cgroup that has appeared.
    var appeared: (SensorPlace) -> Void = { _ in }
    /// Called with the path of one that was removed.
    var vanished: (String) -> Void = { _ in }
    /// Called once, when the first search is done and nothing that it found is reported yet.
    var began: () -> Void = {}
    /// Called with what a search could not do, unless the search before it failed for the same reason.
    var failed: (String) -> Void = { _ in }

    private let finder: CgroupFinder
    private var hasBegun = false
    private var failure: String?
    private let hand: (CgroupSearch) -> Bool
    /// The found events that are not reported yet, in order; no search runs before they are.
    private var findings: ArraySlice<CgroupSearch.Finding> = []
    /// Whether a search is under way.
    private var isSearching = false
    private var source: IOSource?
    /// What the next turn comes by; among equals deferred work always comes first, and would leave no peer its turn.
    private var turn: TimerSource?
    private var retry: TimerSource?
    /// After how long a search that failed is tried again: it takes memory or a descriptor that another program has to give
    /// back.
    private static let pause = Duration.seconds(5)

    /// Looks for nothing yet; `hand` has a search done elsewhere, after which ``take(_:)`` is called, and says whether it will be.
    ///
    /// - Throws: ``KernelError`` where they cannot be looked for.
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
        // Before the finder closes its descriptor.
        source = nil
    }

    /// What the kernel tells changes by.
    var descriptor: CInt { finder.descriptor }

    /// Keeps an eye on nothing any more; without that it goes on until the loop has ended.
    func end() {
        (source, retry, turn) = (nil, nil, nil)
        (appeared, vanished) = ({ _ in }, { _ in })
        (began, failed) = ({}, { _ in })
    }

    /// Looks for what has changed since the last time; the first time for all that is there, which is reported in one go.
    ///
    /// With `waits` that is done when this returns, however long the kernel takes.
    func look(waits: Bool = false) {
        guard !isSearching else { return }
        isSearching = true
        // Until what is found is reported, no other search begins.
        source?.disable()
        let search = CgroupSearch(finder)
        guard waits || !hand(search) else { return }
        search.perform()
        take(search)
    }

    /// Takes in what a search has found that was handed over; one of another patrol counts for nothing.
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
            // All that is known now is configured, or is not.
            while let finding = findings.popFirst() { report(finding) }
        }
        report()
    }

    /// Reports for as long as a turn lasts, and goes on with the rest later: a user who may make cgroups where a pattern leads
    /// can make a thousand at once.
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
