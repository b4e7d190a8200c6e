/// A host's registration, its first frame on a connection.
///
/// Process, user and cgroup are not in it: the daemon takes them from the socket's credentials.
package struct Hello: FrameBody, Equatable, Sendable {
    /// When the host is asked among those of its scope: 0 first, 255 last.
    package var priority = Self.defaultPriority
    /// What the host could release now, in bytes; 0 if it does not know.
    package var releasable: UInt64 = 0
    /// What people call the host, within ``TextLimit/name``; need not be unique.
    package var name = ""
    /// Which messages the host takes besides those that every host has to; none for a host that does not say.
    package var accepts: HostMessages = []
    /// What is behind malloc(3) in the host's process.
    package var allocator = HostAllocator.unstated

    /// The priority of a host that has no reason for another.
    package static let defaultPriority: UInt8 = 128

    /// A registration.
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
        // Hosts that were there before the fields do not send them.
        guard !fields.isAtEnd else { return }
        try fields.flags(&accepts, "accepts", known: .known)
        guard !fields.isAtEnd else { return }
        try fields.choice(&allocator, "allocator", unknown: .unstated)
    }
}
