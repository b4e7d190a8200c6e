/// Why a scope has its level: the source, its figure, and the threshold that the figure was compared with.
public struct PressureReason: Hashable, Sendable {
    /// The source of the figure.
    public enum Source: UInt8, CaseIterable, Sendable {
        /// Unknown: an older or foreign sender did not name it.
        case unknown = 0
        /// PSI `some`: the share of time in which at least one task stalled on memory.
        case someStall = 1
        /// PSI `full`: the share of time in which every task that could run stalled on memory.
        case fullStall = 2
        /// The memory left to the binding limit or, for the host, `MemAvailable`.
        case headroom = 3
        /// No figure was read: the warning was requested.
        case simulation = 4
        /// `memory.events`: the scope was throttled at `memory.high`.
        case highEvents = 5
        /// `memory.events`: the scope reached `memory.max`.
        case maxEvents = 6
    }

    /// The source of the figure.
    public var source: Source
    /// The figure that was read.
    public var figure: Share
    /// The rise threshold that the figure was compared with.
    public var threshold: Share
    /// The limit that binds the scope, if there is one and it is known.
    public var limit: BindingLimit?

    /// Creates a reason with its figure and threshold.
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

    /// The reason for a requested warning.
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
