/// The conditions that a tree of controllers works under: its mode, and its part of the machine.
///
/// It corresponds to a screen's size, orientation and traits. It belongs to a ``Window``;
/// ``Window/changeEnvironment(to:isVetoable:)`` changes it.
public struct Environment: Sendable, Hashable {
    /// A way of working that each controller may or may not support: `"normal"`, `"read-only"`, `"maintenance"`.
    public struct Mode: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
        /// The mode's name.
        public let rawValue: String

        /// The mode of this name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The mode of this name.
        public init(stringLiteral value: String) { rawValue = value }
        /// The mode's name.
        public var description: String { rawValue }

        /// The mode that every environment starts in.
        public static let normal: Mode = "normal"
    }

    /// The amount of memory, in classes for which an archive can have variants.
    public enum MemoryClass: String, Sendable, Hashable, CaseIterable {
        /// Less than 512 MiB: a sidecar, a small container.
        case small
        /// Less than 4 GiB.
        case medium
        /// 4 GiB or more.
        case large
    }

    /// The mode.
    public var mode: Mode
    /// The bytes that the process may use: the tightest limit of its cgroups, or the machine's memory.
    public var memoryLimit: UInt64
    /// The processors that the process may use.
    public var cores: Int
    /// Whether the service works at lower quality because memory is short.
    public var isDegraded: Bool

    /// An environment.
    public init(mode: Mode = .normal, memoryLimit: UInt64, cores: Int, isDegraded: Bool = false) {
        self.mode = mode
        self.memoryLimit = memoryLimit
        self.cores = cores
        self.isDegraded = isDegraded
    }

    /// The class of ``memoryLimit``.
    public var memoryClass: MemoryClass {
        if memoryLimit < 512 << 20 { return .small }
        return memoryLimit < 4 << 30 ? .medium : .large
    }
}

/// A condition on environments; a field that is `nil` matches any value.
public struct EnvironmentCondition: Sendable, Hashable {
    /// The mode.
    public var mode: Environment.Mode?
    /// The memory class.
    public var memoryClass: Environment.MemoryClass?
    /// The least number of processors.
    public var minimumCores: Int?
    /// Whether the service works at lower quality.
    public var isDegraded: Bool?

    /// A condition.
    public init(
        mode: Environment.Mode? = nil,
        memoryClass: Environment.MemoryClass? = nil,
        minimumCores: Int? = nil,
        isDegraded: Bool? = nil
    ) {
        self.mode = mode
        self.memoryClass = memoryClass
        self.minimumCores = minimumCores
        self.isDegraded = isDegraded
    }

    /// Whether an environment meets the condition.
    public func holds(in environment: Environment) -> Bool {
        (mode.map { $0 == environment.mode } ?? true)
            && (memoryClass.map { $0 == environment.memoryClass } ?? true)
            && (minimumCores.map { $0 <= environment.cores } ?? true)
            && (isDegraded.map { $0 == environment.isDegraded } ?? true)
    }
}
