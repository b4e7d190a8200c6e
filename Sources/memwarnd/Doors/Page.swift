import MemwarnProtocol

/// The answer to a query, as far as it has gone: a peer's socket takes a part of it now, and the rest when it has room.
///
/// An object, so that the many peers that are owed none have room for no more than a reference.
final class Page {
    /// The listed section.
    let section: Query.Section
    /// The record that was sent last, or what the query named.
    private(set) var after: UInt64
    /// How many records have been sent.
    private(set) var count = 0
    private let sequence: UInt64

    init(_ query: Query, sequence: UInt64) {
        section = query.section
        after = query.after
        self.sequence = sequence
    }

    /// Sends records and then the end, as far as the peer takes them.
    ///
    /// `items` are what is to be listed after ``after``, in order of their ids; a record is made only when it is its turn.
    ///
    /// - Returns: ``FrameSocket/Sent/full`` if there is more to send when the peer has room.
    func send<Item>(
        _ items: some Sequence<Item>,
        to peer: Peer,
        id: (Item) -> UInt64,
        record: (Item) -> Message
    ) -> FrameSocket.Sent {
        for item in items.prefix(Query.maximumRecords - count) {
            let sent = peer.offer(Frame(sequence: sequence, message: record(item)))
            guard sent == .sent else { return sent }
            after = id(item)
            count += 1
        }
        let next = count == Query.maximumRecords ? after : 0
        return peer.offer(Frame(sequence: sequence, message: .end(End(next: next))))
    }
}
