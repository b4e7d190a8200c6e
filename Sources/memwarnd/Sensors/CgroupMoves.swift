import MemoryPressure
import Systemd
import WarningPolicy

/// Says when a limit of a scope is set, its accounting switched, and its last process gone, on the loop.
///
/// No timer and no reading finds that out in a calm scope: inotify(7) does, which cgroupfs tells of what is written.
final class CgroupMoves {
    private enum Kind {
        case limits
        case accounting
        case population
    }

    /// A file, and the scopes that it counts for, the oldest first.
    private struct File {
        let path: String
        let kind: Kind
        var scopes: [ScopeID]
    }

    /// Called with what has become of scopes.
    var moved: (WarningPolicy.Input) -> Void = { _ in }

    private let kernel: KernelTree
    private let inotify: Inotify
    private var files: [CInt: File] = [:]
    private var numbers: [String: CInt] = [:]
    /// What is to be told, a part in each turn: a limit may count for thousands of scopes.
    private var pending: [WarningPolicy.Input] = []
    private var source: IOSource?
    private var telling: TimerSource?

    /// Watches nothing yet.
    ///
    /// - Throws: ``KernelError``; `EMFILE` says that the user has too many inotify descriptors.
    init(in kernel: KernelTree, loop: EventLoop) throws(KernelError) {
        self.kernel = kernel
        inotify = try Inotify()
        do throws(SystemdError) {
            source = try loop.watch(inotify.descriptor, for: .readable) { [unowned self] _ in take() }
            telling = try loop.timer(accuracy: .microseconds(1)) { [unowned self] in tell() }
        } catch {
            throw KernelError("wait for changes of", "cgroups", errno: error.errno)
        }
    }

    deinit {
        // Before the descriptor is closed.
        source = nil
    }

    /// Watches the files of a scope, as far as they are there; those that are watched for it already stay so.
    ///
    /// - Returns: Whether nothing was left out for want of memory, or of watches.
    func watch(_ scope: ScopeID, _ place: SensorPlace) -> Bool {
        var isWhole = true
        for path in place.limitFiles { isWhole = add(path, .limits, scope) && isWhole }
        guard let cgroup = place.cgroup else { return isWhole }
        isWhole = add(cgroup.directory + "/cgroup.pressure", .accounting, scope) && isWhole
        return add(cgroup.directory + "/cgroup.events", .population, scope) && isWhole
    }

    private func add(_ path: String, _ kind: Kind, _ scope: ScopeID) -> Bool {
        do throws(KernelError) {
            // Also where the path is watched: a cgroup may have been removed and made again, of which the kernel tells nothing.
            let number = try inotify.add(file: path)
            var file = File(path: path, kind: kind, scopes: [])
            if let former = numbers.updateValue(number, forKey: path), let known = files[former] {
                file = known
                if former != number {
                    inotify.remove(former)
                    files[former] = nil
                }
            }
            if !file.scopes.contains(scope) { file.scopes.append(scope) }
            files[number] = file
            return true
        } catch {
            // The root of a hierarchy has no limits, and older kernels have no switch.
            return error.saysGone
        }
    }

    /// Watches them no longer.
    func forget(_ scope: ScopeID, _ place: SensorPlace) {
        var paths = place.limitFiles
        if let cgroup = place.cgroup { paths += ["/cgroup.pressure", "/cgroup.events"].map { cgroup.directory + $0 } }
        for path in paths {
            guard let number = numbers[path] else { continue }
            files[number]?.scopes.removeAll { $0 == scope }
            guard files[number]?.scopes.isEmpty ?? true else { continue }
            inotify.remove(number)
            files[number] = nil
            numbers[path] = nil
        }
    }

    private func take() {
        // What cannot be read now is there at the next turn.
        guard let notices = try? inotify.notices() else { return }
        var seen: Set<Inotify.Notice> = []
        for notice in notices where seen.insert(notice).inserted {
            switch notice {
            case .written(let number): if let file = files[number] { note(file) }
            // Which were left out cannot be told.
            case .overflow: for number in files.keys.sorted() { if let file = files[number] { note(file) } }
            case .made, .removed: break
            }
        }
        guard !pending.isEmpty else { return }
        // A program that writes without end waits until what it has written is seen to.
        source?.disable()
        telling?.arm(after: .zero)
    }

    private func note(_ file: File) {
        pending += file.scopes.map { scope in
            switch file.kind {
            case .limits: .limitsMoved(scope)
            case .accounting: .accountingMoved(scope)
            case .population: .populationMoved(scope)
            }
        }
    }

    private func tell() {
        let start = MonotonicInstant.now
        var told = 0
        while told < pending.count {
            moved(pending[told])
            told += 1
            if start.duration(to: .now) >= PollGroup.turn { break }
        }
        pending.removeFirst(told)
        if pending.isEmpty { try? source?.enable() } else { telling?.arm(after: .zero) }
    }
}
