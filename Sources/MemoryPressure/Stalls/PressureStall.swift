/// One reading of a PSI file for memory.
///
/// Source: the kernel's Documentation/accounting/psi.rst.
package struct PressureStall: Hashable, Sendable {
    /// One line of the file.
    package struct Line: Hashable, Sendable {
        /// The running average over 10 s; the kernel updates it every 2 s.
        package var average10: Share
        /// The running average over 60 s.
        package var average60: Share
        /// The running average over 300 s.
        package var average300: Share
        /// All stall time since boot or since the cgroup was created, in microseconds; exact at every read.
        package var total: UInt64

        package init(average10: Share = .zero, average60: Share = .zero, average300: Share = .zero, total: UInt64) {
            self.average10 = average10
            self.average60 = average60
            self.average300 = average300
            self.total = total
        }
    }

    /// The two ways in which the kernel counts a stall.
    package enum Kind: Sendable, CaseIterable {
        /// At least one task waited for memory.
        case some
        /// Every task that could have run waited for memory.
        case full
    }

    /// Time in which at least one task waited for memory.
    package var some: Line
    /// Time in which all tasks waited for memory; `nil` if the kernel does not count it.
    package var full: Line?

    package init(some: Line, full: Line?) {
        self.some = some
        self.full = full
    }

    /// The total of one line in microseconds; zero if the kernel does not have the line.
    package func total(_ kind: Kind) -> UInt64 {
        switch kind {
        case .some: some.total
        case .full: full?.total ?? 0
        }
    }

    /// The 10 s average of one line; zero if the kernel does not have the line.
    package func average10(_ kind: Kind) -> Share {
        switch kind {
        case .some: some.average10
        case .full: full?.average10 ?? .zero
        }
    }
}

extension PressureStall.Kind: CustomStringConvertible {
    /// The kernel's word for it.
    package var description: String {
        switch self {
        case .some: "some"
        case .full: "full"
        }
    }
}
