internal import CLinux

/// Finds the cgroups that match patterns, and reports when they appear and vanish.
///
/// Call ``update()`` once, and again whenever ``descriptor`` is readable. It does nothing between these calls. Used by
/// one thread at a time.
///
/// It watches every directory that a pattern walks through, and no others.
package final class CgroupFinder {
    /// A change among the cgroups that match.
    package enum Event: Hashable, Sendable {
        /// A cgroup appeared. If it has vanished again by now, a later update reports that.
        case appeared(Cgroup)
        /// The cgroup with this path was removed.
        case vanished(String)
        /// More cgroups match than this limit, or more directories lead to them; the others are left out.
        ///
        /// Reported once, and again only after all of them fitted in the meantime.
        case tooMany(Int)
    }

    /// The maximum number of reported cgroups, and of watched directories.
    package let limit: Int
    private let patterns: [CgroupPattern]
    private let mount: CgroupMount
    /// The path of the mount in the kernel tree.
    private let top: String
    private let watch: Inotify
    /// The watched directories: by number the names that lead to each from the top, and by path the numbers.
    private var names: [CInt: [String]] = [:]
    private var numbers: [String: CInt] = [:]
    /// The paths that were reported to exist, with the number of the search that saw them last.
    private var found: [String: Int] = [:]
    private var searches = 0
    /// Whether the next update has to begin with a search: there was none yet, or the last was interrupted.
    private var needsSearch = true
    /// Whether the last search left something out, and whether that was reported.
    private var leavesOut = false
    private var saidSo = false
    /// The number of cgroups that vanished since the last search.
    private var vacancies = 0
    /// The events of the present update; `nil` for an event that was undone before it was reported.
    private var events: [Event?] = []
    /// The positions of the appeared cgroups in `events`, by path.
    private var untold: [String: Int] = [:]

    /// Prepares to look below the first cgroup2 mount; patterns are matched against the paths below it.
    ///
    /// - Throws: ``KernelError``; `ENODEV` stands for a host without cgroup v2, `EMFILE` says that the user has too many
    ///   inotify descriptors.
    package init(
        _ patterns: [CgroupPattern],
        in tree: KernelTree = .live,
        limit: Int = 1024
    ) throws(KernelError) {
        let mounts = CgroupMount.all(inMountinfo: try KernelFile.text(of: tree.mountinfo))
        guard let mount = mounts.first else {
            throw KernelError("find a cgroup2 mount in", tree.mountinfo, errno: ENODEV)
        }
        watch = try Inotify()
        self.mount = mount
        top = tree.path(mount.directory)
        self.patterns = patterns
        self.limit = limit
    }

    /// The descriptor to poll for `POLLIN`, valid as long as this object lives.
    package var descriptor: CInt { watch.descriptor }

    /// Processes the changes since the last call; the first call finds the cgroups that already exist.
    ///
    /// Does not wait. It reads one buffer of notices, so that no process can keep the caller here by creating and
    /// removing cgroups; if there is more, ``descriptor`` stays readable. A cgroup that appeared and vanished since the
    /// last call is not reported.
    ///
    /// - Throws: ``KernelError`` if a directory cannot be watched or listed. Call again later: the next call searches
    ///   again, and also returns what was found before the error.
    package func update() throws(KernelError) -> [Event] {
        if !needsSearch { try takeNotices() }
        // Not whenever a cgroup vanishes: a search costs more than that.
        if needsSearch || (leavesOut && vacancies > limit / 8) { try search() }
        defer {
            events = []
            untold = [:]
        }
        return events.compactMap { $0 }
    }

    // MARK: Searching

    /// Searches the whole tree again.
    private func search() throws(KernelError) {
        needsSearch = true
        for number in names.keys { watch.remove(number) }
        names = [:]
        numbers = [:]
        searches += 1
        leavesOut = false
        vacancies = 0
        try enter([])
        for (path, search) in found where search != searches { vanish(path) }
        saidSo = leavesOut
        needsSearch = false
    }

    /// Adds an existing directory, and the directories below it that a pattern leads to.
    private func enter(_ directory: [String]) throws(KernelError) {
        let path = Self.path(directory)
        if patterns.contains(where: { $0.matches(directory) }) { appear(path) }
        guard numbers[path] == nil, patterns.contains(where: { $0.leads(through: directory) }) else { return }
        guard numbers.count < limit else { return leaveOut() }
        do throws(KernelError) {
            // The watch comes before the list: a directory that is created in between is seen twice rather than never.
            let number = try watch.add(directory: top + path)
            names[number] = directory
            numbers[path] = number
            for name in try KernelFile.directories(in: top + path) { try enter(directory + [name]) }
        } catch {
            switch error.errno {
            case ENOSPC: leaveOut()
            // It was removed in the meantime, or this process may not read it. At the top the caller has to know.
            case ENOENT, ENOTDIR, EACCES: if directory.isEmpty { throw error }
            default: throw error
            }
        }
    }

    private static func path(_ names: [String]) -> String {
        names.reduce(into: "") { $0 += "/" + $1 }
    }

    /// The path that `/proc/PID/cgroup` would show.
    private func shown(_ path: String) -> String { mount.root == "/" ? path : mount.root + path }

    private func appear(_ path: String) {
        guard found[path] == nil else {
            found[path] = searches
            return
        }
        guard found.count < limit else { return leaveOut() }
        found[path] = searches
        untold[path] = events.count
        events.append(.appeared(Cgroup(path: shown(path), directory: top + path)))
    }

    private func leaveOut() {
        leavesOut = true
        if !saidSo { events.append(.tooMany(limit)) }
        saidSo = true
    }

    // MARK: Notices

    private func takeNotices() throws(KernelError) {
        for notice in try watch.notices() {
            switch notice {
            case .made(let number, let name):
                guard let directory = names[number] else { continue }
                do throws(KernelError) {
                    try enter(directory + [name])
                } catch {
                    needsSearch = true
                    throw error
                }
            case .removed(let number, let name):
                guard let directory = names[number] else { continue }
                leave(Self.path(directory + [name]))
            case .written: continue
            case .overflow:
                // The search sees whatever happened after the overflow.
                needsSearch = true
                return
            }
        }
    }

    /// Forgets a removed directory and everything known below it.
    private func leave(_ path: String) {
        if found[path] != nil { vanish(path) }
        guard let number = numbers[path] else { return }
        forget(path, number)
        // The directories below were removed before it. But if a new directory of this name was created in the
        // meantime, the known paths below belong to the new one, and no event reports their fate until it is watched as
        // well.
        let inside = path + "/"
        for (inner, number) in numbers where inner.utf8.starts(with: inside.utf8) { forget(inner, number) }
        for inner in found.keys where inner.utf8.starts(with: inside.utf8) { vanish(inner) }
    }

    private func forget(_ path: String, _ number: CInt) {
        watch.remove(number)
        numbers[path] = nil
        names[number] = nil
    }

    private func vanish(_ path: String) {
        found[path] = nil
        vacancies += 1
        if let place = untold.removeValue(forKey: path) {
            events[place] = nil
        } else {
            events.append(.vanished(shown(path)))
        }
    }
}
