/// Why a scope has its level: what was looked at, what it showed, and the threshold that it was held against.
public struct PressureReason: Hashable, Sendable {
    /// What was looked at.
    public enum Source: UInt8, CaseIterable, Sendable {
        /// Nothing that is known: an older or foreign sender did not say.
        case unknown = 0
        /// PSI `some`: the share of time in which at least one task stalled on memory.
        case someStall = 1
        /// PSI `full`: the share of time in which every task that could run stalled on memory.
        case fullStall = 2
        /// What is left to the binding limit or, for the host, `MemAvailable`.
        case headroom = 3
        /// No figure was read: the warning was asked for.
        case simulation = 4
        /// `memory.events`: the scope was throttled at `memory.high`.
        case highEvents = 5
        /// `memory.events`: the scope ran into `memory.max`.
        case maxEvents = 6
    }

    /// What was looked at.
    public var source: Source
    /// What it showed.
    public var figure: Share
    /// The rise threshold that the figure was held against.
    public var threshold: Share
    /// The limit that binds the scope, where there is one and it is known.
    public var limit: BindingLimit?

    /// A reason with its figure and threshold.
    public init(
        _ source: Source,
        figure: Share = .zero,
        threshold: Share = .zero,
        limit: BindingLimit? = nil
    ) {
        self.source = source
        self.figure = figure
        self.threshold = threshold
        self.limit = limit
    }

    /// A warning that was asked for.
    public static let simulation = Self(.simulation)
}

extension PressureReason.Source: CustomStringConvertible {
    /// `unknown`, `some`, `full`, `headroom`, `simulation`, `memory.high` or `memory.max`.
    public var description: String {
        switch self {
        case .unknown: "unknown"
        case .someStall: "some"
        case .fullStall: "full"
        case .headroom: "headroom"
        case .simulation: "simulation"
        case .highEvents: "memory.high"
        case .maxEvents: "memory.max"
        }
    }
}

extension PressureReason: CustomStringConvertible {
    /// For example `some 43.2% (threshold 10%)`, `headroom 4% (threshold 10%) of memory.max of /a.slice`.
    public var description: String {
        switch source {
        case .unknown, .simulation: "\(source)"
        case .someStall, .fullStall: "\(source) \(figure) (threshold \(threshold))"
        case .headroom:
            "\(source) \(figure) (threshold \(threshold))" + (limit.map { " of \($0)" } ?? "")
        case .highEvents, .maxEvents: "\(source) reached" + (limit.map { ", \($0)" } ?? "")
        }
    }
}
