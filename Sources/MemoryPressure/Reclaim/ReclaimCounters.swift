internal import CLinux

/// Evidence that the kernel reclaims memory in a scope: its counts of scanned pages, and of pages that were needed
/// again.
///
/// Source: cgroup-v2.rst, `memory.stat`; `/proc/vmstat`.
package struct ReclaimCounters: Hashable, Sendable {
    /// The number of pages that reclaim scanned.
    package var scanned: UInt64
    /// The number of reclaimed pages that had to be read again.
    package var refaulted: UInt64

    package init(scanned: UInt64, refaulted: UInt64) {
        self.scanned = scanned
        self.refaulted = refaulted
    }

    /// Reads the text of `memory.stat` or `/proc/vmstat`; `nil` if it has neither figure.
    ///
    /// If the text does not have the sum of a figure, its parts are added: kswapd and direct reclaim, anonymous memory
    /// and files. A figure that is missing altogether is 0. Nothing is allocated.
    package init?(parsing bytes: UnsafeRawBufferPointer) {
        let text = FlatKeyedText(bytes)
        let scanned = text["pgscan"] ?? Self.sum(text["pgscan_kswapd"], text["pgscan_direct"])
        let refaulted =
            text["workingset_refault"] ?? Self.sum(text["workingset_refault_anon"], text["workingset_refault_file"])
        guard scanned != nil || refaulted != nil else { return nil }
        self.init(scanned: scanned ?? 0, refaulted: refaulted ?? 0)
    }

    /// Reads a cgroup's counts, or the host's if there is no cgroup or it does not have them.
    ///
    /// A cgroup without `memory.stat` has no v2 memory controller, or is gone.
    ///
    /// - Throws: ``KernelError``; `EBADMSG` stands for a text that has neither figure.
    package static func read(
        of cgroup: Cgroup?,
        in tree: KernelTree = .live,
        from files: OpenFiles = OpenFiles()
    ) throws(KernelError) -> Self {
        if let cgroup {
            do throws(KernelError) {
                return try files.whole(cgroup.directory + "/memory.stat") { Self(parsing: $0) }
            } catch {
                guard error.errno == ENOENT else { throw error }
            }
        }
        return try files.whole(tree.vmstat) { Self(parsing: $0) }
    }

    /// Whether the kernel reclaimed since an earlier reading of the same scope: either figure grew.
    package func shows(since earlier: Self) -> Bool {
        scanned > earlier.scanned || refaulted > earlier.refaulted
    }

    private static func sum(_ first: UInt64?, _ second: UInt64?) -> UInt64? {
        // The kernel's counters wrap around too.
        first == nil && second == nil ? nil : (first ?? 0) &+ (second ?? 0)
    }
}
