package import MemoryPressure

/// Did receive memory warning: a level was reached, lasts, or is over.
package struct Warning: FrameBody, Equatable, Sendable {
    /// The level of the scope; `normal` means that the pressure is over and caches may grow again.
    package var level: PressureLevel = .normal
    /// The origin of the warning, and the expected reaction of the host.
    package var options: WarningOptions = []
    /// Why the scope has this level.
    package var reason = PressureReason(.unknown)
    /// The bytes wanted: this host's part of what is missing to the headroom at which the level falls, and of what
    /// will be taken until it can be announced again; 0 if unknown.
    package var bytesWanted: UInt64 = 0
    /// How long after receipt an answer still counts, in milliseconds.
    ///
    /// It has no meaning without ``WarningOptions/answerWanted``.
    package var deadline: UInt32 = 0
    /// The scope under pressure: `/` for the whole machine, otherwise the path of a cgroup.
    package var scope = ""

    /// Creates a warning.
    package init(
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

    package init() {}

    /// The offset of ``bytesWanted`` in the encoded frame, where the value of each host is written.
    package static let bytesWantedOffset = FrameFormat.headerSize + 11

    package mutating func visit(_ fields: inout some FieldVisitor) throws(FrameError) {
        try fields.choice(&level, "level")
        try fields.flags(&options, "flags", known: .known)
        try fields.reason(&reason)
        try fields.integer(&bytesWanted, "bytesWanted", in: .bytes)
        try fields.integer(&deadline, "deadline", in: .milliseconds)
        try fields.text(&scope, "scope", within: TextLimit.path)
        try fields.limit(&reason.limit)
    }
}

/// The origin of a warning, and the expected reaction of the host.
package struct WarningOptions: OptionSet, Hashable, Sendable {
    /// The flags as they are on the wire.
    package let rawValue: UInt8

    /// Creates options from the flags on the wire.
    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// It was requested; there is no pressure.
    ///
    /// The host does the same as at a real warning.
    package static let simulated = Self(rawValue: 1 << 0)
    /// The daemon waits for an acknowledgement until the deadline.
    package static let answerWanted = Self(rawValue: 1 << 1)
    /// The level is not new: it lasts.
    package static let repeated = Self(rawValue: 1 << 2)

    static let known: Self = [.simulated, .answerWanted, .repeated]
}
