/// What a tree of controllers runs under: its mode, and how much of the machine there is.
///
/// The counterpart of a screen's size, orientation and traits. It belongs to a ``Window``, and changes with
/// ``Window/changeEnvironment(to:isVetoable:)``.
public struct Environment: Sendable, Hashable {
    /// A way of working that controllers may support or not: `"normal"`, `"read-only"`, `"maintenance"`.
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

    /// How much memory there is, in classes that an archive can have variants for.
    public enum MemoryClass: String, Sendable, Hashable, CaseIterable {
        /// Less than 512 MiB: a sidecar, a small container.
        case small
        /// Less than 4 GiB.
        case medium
        /// 4 GiB or more.
        case large
    }

    /// The way of working.
    public var mode: Mode
    /// The bytes that the process may use: the tightest limit of its cgroups, or the machine's memory.
    public var memoryLimit: UInt64
    /// The processors that the process may use.
    public var cores: Int
    /// Whether the service works at lower quality for want of memory.
    public var isDegraded: Bool

    /// An environment.
    public init(mode: Mode = .normal, memoryLimit: UInt64, cores: Int, isDegraded: Bool = false) {
        self.mode = mode
        self.memoryLimit = memoryLimit
        self.cores = cores
        self.isDegraded = isDegraded
    }

    /// The class that ``memoryLimit`` is in.
    public var memoryClass: MemoryClass {
        if memoryLimit < 512 << 20 { return .small }
        return memoryLimit < 4 << 30 ? .medium : .large
    }
}

/// A kind of environment: what is `nil` may be anything.
public struct EnvironmentCondition: Sendable, Hashable {
    /// The mode.
    public var mode: Environment.Mode?
    /// The memory class.
    public var memoryClass: Environment.MemoryClass?
    /// The fewest processors.
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

    /// Whether an environment is of this kind.
    public func holds(in environment: Environment) -> Bool {
        (mode.map { $0 == environment.mode } ?? true)
            && (memoryClass.map { $0 == environment.memoryClass } ?? true)
            && (minimumCores.map { $0 <= environment.cores } ?? true)
            && (isDegraded.map { $0 == environment.isDegraded } ?? true)
    }
}
