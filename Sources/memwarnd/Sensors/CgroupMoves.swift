import MemoryPressure
import Systemd
import WarningPolicy

/// Reports on the loop when a limit of a scope is set, its accounting switched, or its last process gone.
///
/// In a calm scope no timer and no reading would notice: inotify(7) does, since cgroupfs reports writes to its files.
final class CgroupMoves {
    /// The kernel's watches, which any thread may add to.
    final class Watches: Sendable {
        fileprivate let inotify: Inotify

        fileprivate init() throws(KernelError) {
            inotify = try Inotify()
        }

        /// Watches the files of a scope, if they exist; a file that is watched already keeps its number.
        func add(_ place: SensorPlace) -> Added {
            var added = Added(account: PeerQuotas.Account(uid: 0, cgroup: place.cgroup?.path).number)
            for path in place.limitFiles { add(path, .limits, &added) }
            guard let cgroup = place.cgroup else { return added }
            add(cgroup.directory + "/cgroup.pressure", .accounting, &added)
            add(cgroup.directory + "/cgroup.events", .population, &added)
            return added
        }

        private func add(_ path: String, _ kind: Kind, _ added: inout Added) {
            do throws(KernelError) {
                // Even if the path is watched: a cgroup may have been removed and created again without an event from
                // the kernel.
                added.files.append((try inotify.add(file: path), path, kind))
            } catch {
                // The root of a hierarchy has no limits, and older kernels have no switch for accounting.
                if !error.meansGone { added.isWhole = false }
            }
        }
    }

    /// The watched files of a scope.
    struct Added: Sendable {
        /// The account in whose turn changes of the files are handled.
        fileprivate let account: UInt64
        fileprivate var files: [(number: CInt, path: String, kind: Kind)] = []
        /// Whether all files could be watched; memory or watches may have run out.
        fileprivate(set) var isWhole = true
    }

    fileprivate enum Kind {
        case limits
        case accounting
        case population
    }

    /// A file, and the scopes that depend on it, the oldest first.
    private struct File {
        let path: String
        let kind: Kind
        let account: UInt64
        var scopes: [ScopeID]
        var hasChanged = false

        /// What the policy is told of a change.
        var inputs: [WarningPolicy.Input] {
            scopes.map { scope in
                switch kind {
                case .limits: .limitsMoved(scope)
                case .accounting: .accountingMoved(scope)
                case .population: .populationMoved(scope)
                }
            }
        }
    }

    /// Called with changes of scopes.
    var moved: (WarningPolicy.Input) -> Void = { _ in }

    /// The kernel's watches to add to.
    let watches: Watches
    private var files: [CInt: File] = [:]
    private var numbers: [String: CInt] = [:]
    /// The number of scopes whose new watches have unknown numbers.
    ///
    /// While there are any, all events are remembered, and no watch is removed: a new scope may share it.
    private var adding = 0
    private var news: Set<CInt> = []
    private var hasOverflown = false
    /// The numbers of files that may belong to no scope.
    private var useless: Set<CInt> = []
    /// The files of an account that have changed, at least one or the rest of one.
    private struct Line {
        let account: UInt64
        var files: [CInt]
        /// What the policy is still to be told of the last file, the first at the end: a limit may apply to thousands of
        /// scopes.
        var rest: [WarningPolicy.Input] = []
    }

    /// The changes, in turns between accounts: a user may change hundreds of files at once, each of which is the warning of
    /// a host.
    private var lines: [Line] = []
    private var source: IOSource?
    private var telling: TimerSource?

    /// Creates an instance without watches.
    ///
    /// - Throws: ``KernelError``; `EMFILE` means that the user has too many inotify descriptors.
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
        // The source has to be dropped before the descriptor is closed.
        source = nil
    }

    /// Announces that ``watches`` will be added to.
    func beginAdding() { adding += 1 }

    /// Records the watches that were added for a scope.
    func endAdding(_ added: Added, for scope: ScopeID) {
        for (number, path, kind) in added.files {
            if let former = numbers.updateValue(number, forKey: path), former != number {
                files[number] = File(
                    path: path,
                    kind: kind,
                    account: added.account,
                    scopes: files[former]?.scopes ?? []
                )
                files[former]?.scopes = []
                useless.insert(former)
            }
            var file = files[number] ?? File(path: path, kind: kind, account: added.account, scopes: [])
            if !file.scopes.contains(scope) { file.scopes.append(scope) }
            files[number] = file
            if hasOverflown || news.contains(number) { note(number) }
        }
        adding -= 1
        if !lines.isEmpty { telling?.arm(after: .zero) }
        guard adding == 0 else { return }
        (news, hasOverflown) = ([], false)
        removeUseless()
    }

    /// Stops watching the files of a scope.
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

    /// Releases memory of files that are no longer watched.
    func shrink() {
        files.shrink()
        numbers.shrink()
        lines.shrink()
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
        read()
        guard !lines.isEmpty else { return }
        // Later events are read in the turns, a few at a time, even if a program writes without end.
        source?.disable()
        telling?.arm(after: .zero)
    }

    private func read() {
        // Events that cannot be read now are read in the next turn.
        guard let notices = try? watches.inotify.notices() else { return }
        var seen: Set<Inotify.Notice> = []
        for notice in notices where seen.insert(notice).inserted {
            switch notice {
            case .written(let number):
                note(number)
                // A known number counts too: another scope may share the file.
                if adding > 0 { news.insert(number) }
            // It is unknown which events were lost.
            case .overflow:
                hasOverflown = adding > 0
                for number in Array(files.keys).ordered(by: <) { note(number) }
            case .made, .removed: break
            }
        }
    }

    private func note(_ number: CInt) {
        guard let file = files[number], !file.hasChanged else { return }
        files[number]?.hasChanged = true
        if let line = lines.firstIndex(where: { $0.account == file.account }) {
            lines[line].files.append(number)
        } else {
            lines.append(Line(account: file.account, files: [number]))
        }
    }

    /// Tells the policy of the next change; another account is next then.
    private func tellOne() {
        var line = lines.removeFirst()
        if line.rest.isEmpty {
            let number = line.files.removeFirst()
            files[number]?.hasChanged = false
            line.rest = files[number]?.inputs.reversed() ?? []
        }
        let input = line.rest.popLast()
        if !line.rest.isEmpty || !line.files.isEmpty { lines.append(line) }
        if let input { moved(input) }
    }

    private func tell() {
        read()
        let start = MonotonicInstant.now
        while !lines.isEmpty {
            tellOne()
            if start.duration(to: .now) >= PollGroup.turn { break }
        }
        if lines.isEmpty { try? source?.enable() } else { telling?.arm(after: .zero) }
    }
}
