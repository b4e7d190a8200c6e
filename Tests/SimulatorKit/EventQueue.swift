/// The future events, ordered by instant, and equal ones by insertion: a binary heap.
struct EventQueue<Event> {
    private struct Entry {
        let at: UInt64
        let number: UInt64
        let place: Int

        func isBefore(_ other: Self) -> Bool { (at, number) < (other.at, other.number) }
    }

    private var heap: [Entry] = []
    /// The events by index; the heap moves only the indices.
    private var events: [Event?] = []
    private var free: [Int] = []
    private var number: UInt64 = 0

    /// When the next event is due, in nanoseconds.
    var next: UInt64? { heap.first?.at }

    mutating func add(_ event: Event, at time: UInt64) {
        number += 1
        let place = free.popLast() ?? events.count
        if place == events.count { events.append(event) } else { events[place] = event }
        heap.append(Entry(at: time, number: number, place: place))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].isBefore(heap[parent]) else { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    mutating func pop() -> Event? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        if !heap.isEmpty { sink(last) }
        free.append(first.place)
        return events[first.place].take()
    }

    private mutating func sink(_ entry: Entry) {
        var place = 0
        while true {
            var child = 2 * place + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1].isBefore(heap[child]) { child += 1 }
            guard heap[child].isBefore(entry) else { break }
            heap[place] = heap[child]
            place = child
        }
        heap[place] = entry
    }
}
