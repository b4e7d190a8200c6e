import MemoryPressure
import Systemd

/// Keeps an eye on which cgroups match patterns, on the loop.
final class CgroupPatrol {
    /// Called with a cgroup that has appeared.
    var appeared: (Cgroup) -> Void = { _ in }
    /// Called with the path of one that was removed.
    var vanished: (String) -> Void = { _ in }
    /// What the search could not do, the last time that it could not.
    private(set) var failure: String?

    private let finder: CgroupFinder
    /// What was found and is still to be reported, in this order; nothing is looked for meanwhile.
    private var findings: ArraySlice<CgroupFinder.Event> = []
    private var source: IOSource?
    /// What the next turn comes by; among equals deferred work always comes first, and would leave no peer its turn.
    private var turn: TimerSource?
    private var retry: TimerSource?
    /// After how long a search that failed is tried again: it takes memory or a descriptor that somebody has to give back.
    private static let pause = Duration.seconds(5)

    init(_ patterns: [CgroupPattern], in kernel: KernelTree, loop: EventLoop) throws(KernelError) {
        finder = try CgroupFinder(patterns, in: kernel)
        do throws(SystemdError) {
            source = try loop.watch(finder.descriptor, for: .readable) { [unowned self] _ in
                look()
                report()
            }
            retry = try loop.timer(accuracy: .seconds(1)) { [unowned self] in
                look()
                report()
            }
            turn = try loop.timer(accuracy: .microseconds(1)) { [unowned self] in report() }
        } catch {
            throw KernelError("wait for changes of", "cgroups", errno: error.errno)
        }
    }

    deinit {
        // Before the finder closes its descriptor.
        source = nil
    }

    /// Reports what is there already, however long that takes: all that is known afterwards is configured, or is not.
    func begin() {
        look()
        while let event = findings.popFirst() { report(event) }
    }

    private func look() {
        do throws(KernelError) {
            failure = nil
            findings += try finder.update()
        } catch {
            failure = "\(error)"
            retry?.arm(after: Self.pause)
        }
    }

    /// Reports for as long as a turn lasts, and goes on with the rest later: each report opens files, and a user who may make
    /// cgroups where a pattern leads can make a thousand at once.
    private func report() {
        let start = MonotonicInstant.now
        repeat {
            guard let event = findings.popFirst() else {
                try? source?.enable()
                return
            }
            report(event)
        } while start.duration(to: .now) < PollGroup.turn
        source?.disable()
        turn?.arm(after: .zero)
    }

    private func report(_ event: CgroupFinder.Event) {
        switch event {
        // Gone by now: what it would take to find out by opening its files is saved.
        case .appeared(let cgroup): if KernelFile.exists(cgroup.directory) { appeared(cgroup) }
        case .vanished(let path): vanished(path)
        case .tooMany(let limit): failure = "more than \(limit) cgroups match; the rest is not watched"
        }
    }
}
