public import MemoryPressure

/// A number for each level.
public struct LevelCounts: Equatable, Sendable {
    private var normal: UInt64 = 0
    private var warning: UInt64 = 0
    private var critical: UInt64 = 0

    /// Zero for each level.
    public init() {}

    /// The number for a level.
    public subscript(level: PressureLevel) -> UInt64 {
        get {
            switch level {
            case .normal: normal
            case .warning: warning
            case .critical: critical
            }
        }
        set {
            switch level {
            case .normal: normal = newValue
            case .warning: warning = newValue
            case .critical: critical = newValue
            }
        }
    }
}

extension LevelCounts {
    init(_ field: String, from reader: inout FrameReader) throws(FrameError) {
        normal = try reader.integer(field)
        warning = try reader.integer(field)
        critical = try reader.integer(field)
    }

    func write(to writer: inout FrameWriter) throws(FrameError) {
        try writer.put(normal)
        try writer.put(warning)
        try writer.put(critical)
    }
}
