/// A host's registration, its first frame on a connection.
///
/// It does not contain the process, user and cgroup: the daemon takes them from the socket's credentials.
package struct Hello: FrameBody, Equatable, Sendable {
    /// The host's position in the order of warnings within its scope: 0 first, 255 last.
    package var priority = Self.defaultPriority
    /// The bytes that the host could release now; 0 if unknown.
    package var releasable: UInt64 = 0
    /// The host's name for people, within ``TextLimit/name``; need not be unique.
    package var name = ""
    /// The messages that the host accepts in addition to those that every host has to accept; none if the host does not
    /// state them.
    package var accepts: HostMessages = []
    /// The allocator behind malloc(3) in the host's process.
    package var allocator = HostAllocator.unstated

    /// The priority of a host that does not choose one.
    package static let defaultPriority: UInt8 = 128

    /// Creates a registration.
    package init(
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

    package init() {}

    package mutating func visit(_ fields: inout some FieldVisitor) throws(FrameError) {
        try fields.integer(&priority, "priority")
        try fields.integer(&releasable, "releasable", in: .bytes)
        try fields.text(&name, "name", within: TextLimit.name)
        // Hosts older than the fields do not send them.
        guard !fields.isAtEnd else { return }
        try fields.flags(&accepts, "accepts", known: .known)
        guard !fields.isAtEnd else { return }
        try fields.choice(&allocator, "allocator", unknown: .unstated)
    }
}
