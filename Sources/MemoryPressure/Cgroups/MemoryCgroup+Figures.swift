internal import CLinux

extension MemoryCgroup {
    /// The files that limit the memory of its processes; the root of a hierarchy does not have all of them.
    package var limitFiles: [String] {
        switch version {
        case .one: [directory + "/memory.limit_in_bytes"]
        case .two: [directory + "/memory.high", directory + "/memory.max"]
        }
    }

    /// The limits that are set on this cgroup itself.
    ///
    /// - Throws: ``KernelError``, except for a missing file: then that limit is not set.
    package func limits(from files: OpenFiles = OpenFiles()) throws(KernelError) -> [BindingLimit] {
        let kinds: [BindingLimit.Kind] = version == .one ? [.v1] : [.high, .max]
        var limits: [BindingLimit] = []
        for (kind, file) in zip(kinds, limitFiles) {
            guard let bytes = try Self.absent({ () throws(KernelError) in try files.number(in: file) }) else {
                continue
            }
            // v1 has no word for "no limit"; it shows the largest number of whole pages, 2^63 less a page.
            if kind == .v1, bytes >= 1 << 60 { continue }
            limits.append(BindingLimit(kind, bytes: bytes, path: path))
        }
        return limits
    }

    /// The bytes that are charged to this cgroup and those below it.
    ///
    /// - Throws: ``KernelError``; `ENOENT` and `ENODEV` mean that the cgroup is gone.
    package func charged(from files: OpenFiles = OpenFiles()) throws(KernelError) -> UInt64 {
        let file = directory + (version == .one ? "/memory.usage_in_bytes" : "/memory.current")
        guard let bytes = try files.number(in: file) else { throw KernelError("understand", file, errno: EBADMSG) }
        return bytes
    }

    /// The charged bytes without the file pages that the kernel would drop first: `inactive_file` of `memory.stat`.
    ///
    /// - Throws: ``KernelError``; `ENOENT` and `ENODEV` mean that the cgroup is gone.
    package func used(from files: OpenFiles = OpenFiles()) throws(KernelError) -> UInt64 {
        let charged = try charged(from: files)
        let file = directory + "/memory.stat"
        let key: StaticString = version == .one ? "total_inactive_file" : "inactive_file"
        let inactive = try files.whole(file) { FlatKeyedText($0)[key] }
        // The two files are read one after the other, and the second counts more lazily.
        return charged > inactive ? charged - inactive : 0
    }

    /// `nil` for a file that does not exist.
    private static func absent(_ read: () throws(KernelError) -> UInt64?) throws(KernelError) -> UInt64? {
        do throws(KernelError) {
            return try read()
        } catch {
            guard error.errno == ENOENT else { throw error }
            return nil
        }
    }
}
