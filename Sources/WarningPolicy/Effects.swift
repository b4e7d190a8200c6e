package import MemoryPressure
package import MemwarnProtocol

/// The actions that the policy requests, in this order; their results are ``WarningPolicy/Input``s again.
///
/// The caller owns the buffer, empties it with ``removeAll()`` and uses it again, so that a round allocates nothing.
package struct Effects: Sendable {
    /// One action.
    package enum Effect: Sendable {
        /// Send a warning to the ``Effects/recipients`` in this range, each with its own bytes wanted; then feed
        /// ``WarningPolicy/Input/sent(round:)``.
        case warn(round: UInt64, Warning, Range<Int>)
        /// Send a command to the ``Effects/recipients`` in this range.
        case command(CommandRequest, number: UInt64, Range<Int>)
        /// Feed an input when this connection has room again.
        case awaitRoom(ConnectionID)
        /// Open a scope's files, replacing open ones, and poll all their triggers; feed
        /// ``WarningPolicy/Input/opened(_:_:)`` before any other input about the scope.
        case open(ScopeID, SensorPlace, StallPlan)
        /// Read some of a scope's files; feed ``WarningPolicy/Input/read(_:_:)`` or
        /// ``WarningPolicy/Input/unreadable(_:_:)`` before any other input about the scope.
        case read(ScopeID, SensorReads)
        /// Poll these triggers of a scope, and no others; events that arrived while a trigger was not polled are
        /// discarded.
        case listen(ScopeID, TriggerSet)
        /// Close a scope's files.
        case close(ScopeID)
        /// Read the present figures of a scope, for a round.
        case look(ScopeID, round: UInt64)
        /// Answer a client; if its socket is full, the first answer is kept, and sent before any later warning as soon as
        /// there is room, and others are lost.
        case reply(ConnectionID, sequence: UInt64, Message)
        /// Send the outcomes of a command to its client, as many as it takes, and feed their number.
        case report(command: UInt64, ConnectionID, sequence: UInt64, [Message])
        /// A scope's level has changed, or is announced again.
        case noteLevel(ScopeID, LevelMachine.Change)
        /// A round is over.
        ///
        /// `withheld` is the number of log entries that were withheld before this one; `nil` if this one is withheld.
        case noteRound(RoundRecord, withheld: UInt64?)
        /// A scope no longer exists; `withheld` log entries were not written before this.
        case noteLoss(path: String, hosts: Int, withheld: UInt64)
        /// A configured scope has appeared or vanished.
        case noteScope(ScopeID, path: String)
        /// Triggers could not be armed with new thresholds, and keep the old ones.
        case noteOldThresholds(KernelError)
        /// A host has registered, or left.
        case noteHost(HostRecord)
        /// A client commands hosts; `withheld` log entries were not written before this.
        case noteCommand(String, target: String, hosts: Int, pid: UInt32, uid: UInt32, withheld: UInt64)
        /// Find the present cgroups of these hosts' processes.
        case locate([HostID])
        /// Save the state that the next daemon needs.
        case save
    }

    /// A host that receives a message.
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

    mutating func address(_ recipient: Recipient) {
        recipients.append(recipient)
    }
}
