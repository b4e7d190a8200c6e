import MemoryPressure
import Systemd
import WarningPolicy

/// Says when a limit of a scope is set, its accounting switched, and its last process gone, on the loop.
///
/// No timer and no reading finds that out in a calm scope: inotify(7) does, which cgroupfs tells of what is written.
final class CgroupMoves {
    /// The watches of the kernel, which any thread may add to.
    final class Watches: Sendable {
        fileprivate let inotify: Inotify

        fileprivate init() throws(KernelError) {
            inotify = try Inotify()
        }

        /// Watches the files of a scope, as far as they are there; a file that is watched already keeps its number.
        func add(_ place: SensorPlace) -> Added {
            var added = Added()
            for path in place.limitFiles { add(path, .limits, &added) }
            guard let cgroup = place.cgroup else { return added }
            add(cgroup.directory + "/cgroup.pressure", .accounting, &added)
            add(cgroup.directory + "/cgroup.events", .population, &added)
            return added
        }

        private func add(_ path: String, _ kind: Kind, _ added: inout Added) {
            do throws(KernelError) {
                // Also where the path is watched: a cgroup may have been removed and created again without a notice of
                // the kernel.
                added.files.append((try inotify.add(file: path), path, kind))
            } catch {
                // The root of a hierarchy has no limits, and older kernels have no switch.
                if !error.meansGone { added.isWhole = false }
            }
        }
    }

    /// The files of a scope that are watched.
    struct Added: Sendable {
        fileprivate var files: [(number: CInt, path: String, kind: Kind)] = []
        /// Whether nothing was left out for want of memory, or of watches.
        fileprivate(set) var isWhole = true
    }

    fileprivate enum Kind {
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

    /// What watches are added to.
    let watches: Watches
    private var files: [CInt: File] = [:]
    private var numbers: [String: CInt] = [:]
    /// How many scopes have watches added whose numbers are not known yet.
    ///
    /// Until they are, it is remembered which of them have news, and no watch is removed: a newcomer may share it.
    private var adding = 0
    private var news: Set<CInt> = []
    private var hasOverflown = false
    /// The numbers of files that may count for no scope.
    private var useless: Set<CInt> = []
    /// The notices, a part in each turn: a limit may apply to thousands of scopes.
    private var pending: [WarningPolicy.Input] = []
    private var source: IOSource?
    private var telling: TimerSource?

    /// Watches nothing yet.
    ///
    /// - Throws: ``KernelError``; `EMFILE` says that the user has too many inotify descriptors.
    init(loop: EventLoop) throws(KernelError) {
        watches = try Watches()
        do throws(SystemdError) {
            source = try loop.watch(watches.inotify.descriptor, for: .readable) { _ in self.take() }
            telling = try loop.timer(accuracy: .microseconds(1)) { self.tell() }
        } catch {
            throw KernelError("wait for changes of", "cgroups", errno: error.errno)
        }
    }

    deinit {
        // Before the descriptor is closed.
        source = nil
    }

    /// Says that ``watches`` are going to be added to.
    func beginAdding() { adding += 1 }

    /// Takes in what was added for a scope.
    func endAdding(_ added: Added, for scope: ScopeID) {
        for (number, path, kind) in added.files {
            if let former = numbers.updateValue(number, forKey: path), former != number {
                files[number] = File(path: path, kind: kind, scopes: files[former]?.scopes ?? [])
                files[former]?.scopes = []
                useless.insert(former)
            }
            var file = files[number] ?? File(path: path, kind: kind, scopes: [])
            if !file.scopes.contains(scope) { file.scopes.append(scope) }
            files[number] = file
            if hasOverflown || news.contains(number) { note(file) }
        }
        adding -= 1
        if !pending.isEmpty { telling?.arm(after: .zero) }
        guard adding == 0 else { return }
        (news, hasOverflown) = ([], false)
        removeUseless()
    }

    /// Watches them no longer.
    func forget(_ scope: ScopeID, _ place: SensorPlace) {
        var paths = place.limitFiles
        if let cgroup = place.cgroup { paths += ["/cgroup.pressure", "/cgroup.events"].map { cgroup.directory + $0 } }
        for path in paths {
            guard let number = numbers[path] else { continue }
            files[number]?.scopes.removeAll { $0 == scope }
            useless.insert(number)
        }
        removeUseless()
    }

    private func removeUseless() {
        guard adding == 0 else { return }
        for number in useless {
            guard let file = files[number], file.scopes.isEmpty else { continue }
            watches.inotify.remove(number)
            files[number] = nil
            if numbers[file.path] == number { numbers[file.path] = nil }
        }
        useless = []
    }

    private func take() {
        // What cannot be read now is there at the next turn.
        guard let notices = try? watches.inotify.notices() else { return }
        var seen: Set<Inotify.Notice> = []
        for notice in notices where seen.insert(notice).inserted {
            switch notice {
            case .written(let number):
                if let file = files[number] { note(file) }
                // Also of a number that is known: one more scope may come to share the file.
                if adding > 0 { news.insert(number) }
            // Which were left out cannot be told.
            case .overflow:
                hasOverflown = adding > 0
                for number in files.keys.sorted() { if let file = files[number] { note(file) } }
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
