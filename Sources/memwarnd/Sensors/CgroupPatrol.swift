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
    private var source: IOSource?
    private var retry: TimerSource?
    /// After how long a search that failed is tried again: it takes memory or a descriptor that somebody has to give back.
    private static let pause = Duration.seconds(5)

    init(_ patterns: [CgroupPattern], in kernel: KernelTree, loop: EventLoop) throws(KernelError) {
        finder = try CgroupFinder(patterns, in: kernel)
        do throws(SystemdError) {
            source = try loop.watch(finder.descriptor, for: .readable) { [unowned self] _ in update() }
            retry = try loop.timer(accuracy: .seconds(1)) { [unowned self] in update() }
        } catch {
            throw KernelError("wait for changes of", "cgroups", errno: error.errno)
        }
    }

    deinit {
        // Before the finder closes its descriptor.
        source = nil
    }

    /// Reports what is there already.
    func begin() {
        update()
    }

    private func update() {
        do throws(KernelError) {
            failure = nil
            for event in try finder.update() { report(event) }
        } catch {
            failure = "\(error)"
            retry?.arm(after: Self.pause)
        }
    }

    private func report(_ event: CgroupFinder.Event) {
        switch event {
        case .appeared(let cgroup): appeared(cgroup)
        case .vanished(let path): vanished(path)
        case .tooMany(let limit): failure = "more than \(limit) cgroups match; the rest is not watched"
        }
    }
}
