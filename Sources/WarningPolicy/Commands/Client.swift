/// A client that asks for something, as its connection's credentials say.
package struct Client: Sendable {
    package var connection: ConnectionID
    package var pid: UInt32
    package var uid: UInt32
    /// Whether it may warn and command the hosts of all users.
    package var coversAll: Bool

    package init(connection: ConnectionID, pid: UInt32, uid: UInt32, coversAll: Bool) {
        self.connection = connection
        self.pid = pid
        self.uid = uid
        self.coversAll = coversAll
    }
}
