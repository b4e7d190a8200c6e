/// A host's registration, its first frame on a connection.
///
/// Process, user and cgroup are not in it: the daemon takes them from the socket's credentials.
public struct Hello: Equatable, Sendable {
    /// When the host is asked among those of its scope: 0 first, 255 last.
    public var priority: UInt8
    /// What the host could release now, in bytes; 0 if it does not know.
    public var releasable: UInt64
    /// What people call the host, within ``TextLimit/name``; need not be unique.
    public var name: String
    /// Which messages the host takes besides those that every host has to; none for a host that does not say.
    public var accepts: HostMessages
    /// What is behind malloc(3) in the host's process.
    public var allocator: HostAllocator

    /// The priority of a host that has no reason for another.
    public static let defaultPriority: UInt8 = 128

    /// A registration.
    public init(
        priority: UInt8 = Self.defaultPriority,
        releasable: UInt64 = 0,
        name: String,
        accepts: HostMessages = [],
        allocator: HostAllocator = .unstated
    ) {
        self.priority = priority
        self.releasable = releasable
        self.name = name
        self.accepts = accepts
        self.allocator = allocator
    }
}

extension Hello {
    init(from reader: inout FrameReader) throws(FrameError) {
        priority = try reader.integer("priority")
        releasable = try reader.integer("releasable")
        name = try reader.text("name", within: TextLimit.name)
        // Hosts that were there before the field do not send it. Flags that are not known are dropped.
        accepts = reader.isAtEnd ? [] : HostMessages(rawValue: try reader.integer("accepts")).intersection(.known)
        allocator = try reader.allocator()
    }

    func write(to writer: inout FrameWriter) throws(FrameError) {
        try writer.put(priority)
        try writer.put(releasable)
        try writer.put(name, "name", within: TextLimit.name)
        try writer.put(accepts)
        try writer.put(allocator)
    }
}
