/// The responders of a reclaimer, in order of creation.
///
/// Groups keep each change short, because the reclaimer's lock is held during it: a round and a sweep keep copies, and a
/// change of one list of 300 000 responders would copy all of them.
struct MemberList: Sequence {
    typealias Element = Reclaimer.Member

    /// None is empty.
    private var groups: [[Element]] = []
    private(set) var count = 0

    private static var groupSize: Int { 512 }

    init(_ members: some Sequence<Element> = []) {
        for member in members { append(member) }
    }

    mutating func append(_ member: @escaping Element) {
        count += 1
        if let last = groups.indices.last, groups[last].count < Self.groupSize {
            groups[last].append(member)
        } else {
            groups.append([member])
        }
    }

    /// Replaces the members of an earlier copy with some of them; later ones stay.
    mutating func replace(_ former: Self, with rest: Self) {
        guard let last = former.groups.last else { return }
        let later = groups[(former.groups.count - 1)...]
        let inLast = later.first?.dropFirst(last.count) ?? []
        groups = rest.groups + (inLast.isEmpty ? [] : [Array(inLast)]) + later.dropFirst()
        count += rest.count - former.count
    }

    func makeIterator() -> FlattenSequence<[[Element]]>.Iterator {
        groups.joined().makeIterator()
    }
}
