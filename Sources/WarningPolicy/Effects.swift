package import MemoryPressure
package import MemwarnProtocol

/// What the policy wants done, in this order; what comes of it is an ``WarningPolicy/Input`` again.
///
/// The caller owns the buffer, empties it with ``removeAll()`` and uses it again, so that a round allocates nothing.
package struct Effects: Sendable {
    /// One thing to be done.
    package enum Effect: Sendable {
        /// Send a warning to ``Effects/recipients`` of this range, each with its own bytes wanted; then say ``WarningPolicy/Input/sent(round:)``.
        case warn(round: UInt64, Warning, Range<Int>)
        /// Send a command to ``Effects/recipients`` of this range.
        case command(CommandRequest, number: UInt64, Range<Int>)
        /// Say when this connection takes packets again.
        case awaitRoom(ConnectionID)
        /// Open a scope's files, instead of those that are open, and poll all their triggers; say
        /// ``WarningPolicy/Input/opened(_:_:)`` before anything else about the scope.
        case open(ScopeID, SensorPlace, StallPlan)
        /// Read some of a scope's files; say ``WarningPolicy/Input/read(_:_:)`` or ``WarningPolicy/Input/unreadable(_:_:)``
        /// before anything else about the scope.
        case read(ScopeID, SensorReads)
        /// Poll these triggers of a scope, and no others; events that came while a trigger was not polled are no news.
        case listen(ScopeID, TriggerSet)
        /// Close a scope's files.
        case close(ScopeID)
        /// Look how a scope stands now, for a round.
        case look(ScopeID, round: UInt64)
        /// Answer a client; an answer that the client does not take is lost.
        case reply(ConnectionID, sequence: UInt64, Message)
        /// Pass what became of a command on to its client, as much as it takes, and say how much that was.
        case report(command: UInt64, ConnectionID, sequence: UInt64, [Message])
        /// A scope's level is another one, or told again.
        case noteLevel(ScopeID, LevelMachine.Change)
        /// A round is over; `isLogged` unless there are too many of its kind.
        case noteRound(RoundRecord, isLogged: Bool)
        /// A scope is not there any more.
        case noteLoss(path: String, hosts: Int)
        /// A scope that is watched by configuration is there, or is not any more.
        case noteScope(ScopeID, path: String)
        /// Triggers could not be armed by new rules, and stay as they were.
        case noteOldThresholds(KernelError)
        /// A host has registered, or left.
        case noteHost(HostRecord)
        /// A client commands hosts.
        case noteCommand(String, target: String, hosts: Int, pid: UInt32, uid: UInt32)
        /// Find out in which cgroups the processes of these hosts are now.
        case locate([HostID])
        /// Keep what a daemon after this one has to know.
        case save
    }

    /// A host that is sent something.
    package struct Recipient: Sendable {
        package var host: HostID
        package var connection: ConnectionID
        package var door: HostRecord.Door
        package var bytesWanted: UInt64
    }

    package private(set) var list: [Effect] = []
    package private(set) var recipients: [Recipient] = []

    package init() {}

    package mutating func removeAll() {
        list.removeAll(keepingCapacity: true)
        recipients.removeAll(keepingCapacity: true)
    }

    /// Gives up the room of what a time with more hosts took.
    package mutating func shrink() {
        list.shrink()
        recipients.shrink()
    }

    mutating func append(_ effect: Effect) {
        list.append(effect)
    }

    mutating func address(_ host: HostEntry, bytesWanted: UInt64 = 0) {
        recipients.append(
            Recipient(host: host.id, connection: host.connection, door: host.door, bytesWanted: bytesWanted)
        )
    }
}
