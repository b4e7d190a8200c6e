/// A list that changes in short steps, however many elements it has, because a lock is held during each.
///
/// One array of 100 000 elements would be copied as it grows or while another thread reads a copy, and moved at each
/// removal; of this list a change copies or moves one group at most.
struct GroupedList<Element>: Sequence {
    /// None is empty.
    private var groups: [[Element]] = []
    private(set) var count = 0

    private static var groupSize: Int { 512 }

    init() {}

    init(_ elements: some Sequence<Element>) {
        for element in elements { append(element) }
    }

    mutating func append(_ element: Element) {
        count += 1
        if let last = groups.indices.last, groups[last].count < Self.groupSize {
            groups[last].append(element)
        } else {
            groups.append([element])
        }
    }

    mutating func removeFirst() -> Element? { groups.isEmpty ? nil : remove(at: 0, of: 0) }

    private mutating func remove(at index: Int, of group: Int) -> Element {
        count -= 1
        let element = groups[group].remove(at: index)
        if groups[group].isEmpty { groups.remove(at: group) }
        return element
    }

    /// Replaces the elements of an earlier copy with some of them; those that were appended since then stay.
    mutating func replace(_ former: Self, with rest: Self) {
        guard let last = former.groups.last else { return }
        let later = groups[(former.groups.count - 1)...]
        let inLast = later.first?.dropFirst(last.count) ?? []
        groups = rest.groups + (inLast.isEmpty ? [] : [Array(inLast)]) + later.dropFirst()
        count += rest.count - former.count
    }

    func makeIterator() -> FlattenSequence<[[Element]]>.Iterator { groups.joined().makeIterator() }
}

extension GroupedList: Sendable where Element: Sendable {}

// A list in order of its elements' identities.
extension GroupedList where Element: Identifiable, Element.ID: Comparable {
    /// Inserts an element, usually at the end.
    mutating func insert(_ element: Element) {
        guard let group = group(of: element.id) else { return append(element) }
        count += 1
        groups[group].insert(element, at: groups[group].partitioningIndex { $0.id >= element.id })
    }

    mutating func remove(_ id: Element.ID) -> Element? {
        guard let group = group(of: id) else { return nil }
        let index = groups[group].partitioningIndex { $0.id >= id }
        return groups[group][index].id == id ? remove(at: index, of: group) : nil
    }

    /// The group whose range includes an identity; `nil` if the identity comes after all.
    private func group(of id: Element.ID) -> Int? {
        let group = groups.partitioningIndex { group in group.last.map { $0.id >= id } ?? false }
        return group < groups.count ? group : nil
    }
}

extension Array {
    /// The first index at which a condition holds that holds for all later elements too; the end if there is none.
    fileprivate func partitioningIndex(where belongs: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = low + (high - low) / 2
            if belongs(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
