internal import CLinux

/// Finds the cgroups that match patterns, and says when they come and go.
///
/// Call ``update()`` once, and again whenever ``descriptor`` is readable. Between these calls nothing runs. Used by one
/// thread at a time.
///
/// It watches every directory that a pattern walks through, and no others.
package final class CgroupFinder {
    /// What happened to the cgroups that match.
    package enum Event: Hashable, Sendable {
        /// There is one more. Where it is gone again by now, that is told by a later update.
        case appeared(Cgroup)
        /// The one with this path was removed.
        case vanished(String)
        /// There are more than so many, or more directories to watch on the way to them; the rest is left out.
        ///
        /// Comes once, and again only after all had room meanwhile.
        case tooMany(Int)
    }

    /// How many cgroups are reported, and how many directories watched, at most.
    package let limit: Int
    private let patterns: [CgroupPattern]
    private let mount: CgroupMount
    /// Where the mount is in the tree that is looked at.
    private let top: String
    private let watch: Inotify
    /// The watched directories: their names from the top on by number, and their numbers by path.
    private var names: [CInt: [String]] = [:]
    private var numbers: [String: CInt] = [:]
    /// The paths that were reported as there, with the number of the search that saw them last.
    private var found: [String: Int] = [:]
    private var searches = 0
    /// Whether the next update has to begin with a search: nothing was searched yet, or a search was broken off.
    private var needsSearch = true
    /// Whether there is something that the last search has left out, and whether that was said.
    private var leavesOut = false
    private var saidSo = false
    /// How many have vanished since the last search.
    private var vacancies = 0
    /// What the present update tells; `nil` is what was over before it was told.
    private var events: [Event?] = []
    /// Where in the events those that have appeared are, by path.
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

    /// What to poll for `POLLIN`, valid as long as this object lives.
    package var descriptor: CInt { watch.descriptor }

    /// Takes in what has happened since the last call; the first call finds what is there already.
    ///
    /// Does not wait. It takes as much as fits into one buffer, so that no process can keep the caller here by making and
    /// removing cgroups; if there is more, ``descriptor`` stays readable. A cgroup that came and went since the last call is
    /// left out.
    ///
    /// - Throws: ``KernelError`` if a directory cannot be watched or listed. Call again later: the next call searches
    ///   anew, and returns what has been found until then as well.
    package func update() throws(KernelError) -> [Event] {
        if !needsSearch { try takeNotices() }
        // Not at every one that vanishes: a search costs more than that.
        if needsSearch || (leavesOut && vacancies > limit / 8) { try search() }
        defer {
            events = []
            untold = [:]
        }
        return events.compactMap { $0 }
    }

    // MARK: Searching

    /// Looks at everything anew.
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

    /// Takes in a directory that is there, and what is below it as far as a pattern leads.
    private func enter(_ directory: [String]) throws(KernelError) {
        let path = Self.path(directory)
        if patterns.contains(where: { $0.matches(directory) }) { appear(path) }
        guard numbers[path] == nil, patterns.contains(where: { $0.leads(through: directory) }) else { return }
        guard numbers.count < limit else { return leaveOut() }
        do throws(KernelError) {
            // Watched first and listed then: what is made in between comes twice, and not never.
            let number = try watch.add(directory: top + path)
            names[number] = directory
            numbers[path] = number
            for name in try KernelFile.directories(in: top + path) { try enter(directory + [name]) }
        } catch {
            switch error.errno {
            case ENOSPC: leaveOut()
            // Gone meanwhile, or not to be looked into. At the top it is the caller that has to know.
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
                // Whatever was told after that is seen by the search.
                needsSearch = true
                return
            }
        }
    }

    /// Forgets a directory that was removed, and what is known below it.
    private func leave(_ path: String) {
        if found[path] != nil { vanish(path) }
        guard let number = numbers[path] else { return }
        forget(path, number)
        // Those below were removed before it. But where another of this name was made meanwhile, what is known is about
        // that one's contents, and no event tells what becomes of them until it is watched in turn.
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
