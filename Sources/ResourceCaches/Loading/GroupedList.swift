/// Elements in order of their identities; most are added at the end.
///
/// Each change takes a few microseconds, however many elements there are, because a lock is held during it: one array of
/// 100 000 elements would be copied as it grows, and moved at each removal.
struct GroupedList<Element: Identifiable>: Sequence where Element.ID: Comparable {
    /// Sorted; none is empty.
    private var groups: [[Element]] = []
    private(set) var count = 0

    private static var groupSize: Int { 512 }

    mutating func add(_ element: Element) {
        count += 1
        if let group = group(of: element.id) {
            groups[group].insert(element, at: groups[group].firstIndex(notBefore: element.id))
        } else if let last = groups.indices.last, groups[last].count < Self.groupSize {
            groups[last].append(element)
        } else {
            groups.append([element])
        }
    }

    mutating func remove(_ id: Element.ID) -> Element? {
        guard let group = group(of: id) else { return nil }
        let index = groups[group].firstIndex(notBefore: id)
        return groups[group][index].id == id ? remove(at: index, of: group) : nil
    }

    mutating func removeFirst() -> Element? { groups.isEmpty ? nil : remove(at: 0, of: 0) }

    func makeIterator() -> FlattenSequence<[[Element]]>.Iterator { groups.joined().makeIterator() }

    /// The group whose range includes an identity; `nil` if the identity comes after all.
    private func group(of id: Element.ID) -> Int? {
        let group = groups.partitioningIndex { group in group.last.map { $0.id >= id } ?? false }
        return group < groups.count ? group : nil
    }

    private mutating func remove(at index: Int, of group: Int) -> Element {
        count -= 1
        let element = groups[group].remove(at: index)
        if groups[group].isEmpty { groups.remove(at: group) }
        return element
    }
}

extension GroupedList: Sendable where Element: Sendable {}

extension Array where Element: Identifiable, Element.ID: Comparable {
    fileprivate func firstIndex(notBefore id: Element.ID) -> Int { partitioningIndex { $0.id >= id } }
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
