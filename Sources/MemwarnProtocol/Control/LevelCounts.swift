package import MemoryPressure

/// A number for each level.
package struct LevelCounts: Equatable, Sendable {
    private var normal: UInt64 = 0
    private var warning: UInt64 = 0
    private var critical: UInt64 = 0

    /// Zero for each level.
    package init() {}

    /// The number for a level.
    package subscript(level: PressureLevel) -> UInt64 {
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
    mutating func visit(_ fields: inout some FieldVisitor, _ name: String) throws(FrameError) {
        try fields.integer(&normal, name)
        try fields.integer(&warning, name)
        try fields.integer(&critical, name)
    }
}
