public import MemoryPressure

/// Did receive memory warning: a level was reached, is still held, or is over.
public struct Warning: Equatable, Sendable {
    /// The level of the scope; `normal` means that the pressure is over and caches may grow again.
    public var level: PressureLevel
    /// How the warning came about and what is expected of the host.
    public var options: WarningOptions
    /// Why the scope has this level.
    public var reason: PressureReason
    /// This host's part of what the scope is over its comfortable point, in bytes; 0 if it is not known.
    public var bytesWanted: UInt64
    /// How long after receipt an answer still counts, in milliseconds.
    ///
    /// Without ``WarningOptions/answerWanted`` it means nothing.
    public var deadline: UInt32
    /// The scope under pressure: `/` for the whole machine, else the path of a cgroup.
    public var scope: String

    /// A warning.
    public init(
        level: PressureLevel,
        options: WarningOptions,
        reason: PressureReason,
        bytesWanted: UInt64,
        deadline: UInt32,
        scope: String
    ) {
        self.level = level
        self.options = options
        self.reason = reason
        self.bytesWanted = bytesWanted
        self.deadline = deadline
        self.scope = scope
    }
}

/// How a warning came about and what is expected of the host.
public struct WarningOptions: OptionSet, Hashable, Sendable {
    /// The flags as they are on the wire.
    public let rawValue: UInt8

    /// Options from the flags on the wire.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// It was asked for; there is no pressure.
    ///
    /// The host does what it would do in earnest.
    public static let simulated = Self(rawValue: 1 << 0)
    /// The daemon waits for an acknowledgement until the deadline.
    public static let answerWanted = Self(rawValue: 1 << 1)
    /// The level is not new: it is still held.
    public static let repeated = Self(rawValue: 1 << 2)

    static let known: Self = [.simulated, .answerWanted, .repeated]
}

extension Warning {
    /// Where ``bytesWanted`` lies in the encoded frame: what differs from host to host is written there.
    package static let bytesWantedOffset = Frame.headerSize + 11

    init(from reader: inout FrameReader) throws(FrameError) {
        level = try reader.choice("level")
        options = try reader.options()
        reason = try reader.reason()
        bytesWanted = try reader.integer("bytesWanted")
        deadline = try reader.integer("deadline")
        scope = try reader.text("scope", within: TextLimit.path)
        reason.limit = try reader.limit()
    }

    func write(to writer: inout FrameWriter) throws(FrameError) {
        try writer.put(level)
        try writer.put(options)
        try writer.put(reason)
        try writer.put(bytesWanted)
        try writer.put(deadline)
        try writer.put(scope, "scope", within: TextLimit.path)
        try writer.put(reason.limit)
    }
}
