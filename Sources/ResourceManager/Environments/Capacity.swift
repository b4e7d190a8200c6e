/// The memory and processors that the process may use, and the memory that it uses.
public struct Capacity: Sendable, Hashable {
    /// The bytes of memory that the process may use: the tightest limit of its cgroups, or the machine's memory.
    public var memoryLimit: UInt64
    /// The bytes charged against that limit now.
    public var memoryUsed: UInt64
    /// The processors that the process may use.
    public var cores: Int

    /// A capacity.
    public init(memoryLimit: UInt64, memoryUsed: UInt64, cores: Int) {
        self.memoryLimit = memoryLimit
        self.memoryUsed = memoryUsed
        self.cores = cores
    }
}

extension Environment {
    /// An environment of this capacity.
    init(_ capacity: Capacity) {
        self.init(memoryLimit: capacity.memoryLimit, cores: capacity.cores)
    }

    /// A budget of all of the memory and processors.
    var budget: Budget {
        Budget(bytes: Int(clamping: memoryLimit), threads: cores)
    }
}
