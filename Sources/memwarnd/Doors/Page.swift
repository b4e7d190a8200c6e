import MemwarnProtocol

/// The remaining answer to a query: a peer's socket accepts a part of it now, and the rest when it has room.
///
/// A class, so that peers without one need memory only for a reference.
final class Page {
    /// The listed section.
    let section: Query.Section
    /// The record that was sent last, or the one that the query named.
    private(set) var after: UInt64
    /// The number of records that have been sent.
    private(set) var count = 0
    private let sequence: UInt64

    init(_ query: Query, sequence: UInt64) {
        section = query.section
        after = query.after
        self.sequence = sequence
    }

    /// Sends records and then the end, as far as the peer accepts them.
    ///
    /// `items` are the items to list after ``after``, in order of their ids; each record is made when it is sent.
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
