internal import MemoryPressure

extension CacheCore {
    mutating func pin(_ entry: UInt32, owner: String, for duration: Duration?) -> UInt64 {
        let priority = view.pointee.header(of: entry).pointee.queue.priority
        queues.remove(entry, in: view)
        let ends = duration.map { duration in
            let sum = view.pointee.clock.now().addingReportingOverflow(UInt64(max(0, duration.nanoseconds)))
            return sum.overflow ? .max : sum.partialValue
        }
        return pins.add(.init(entry: entry, owner: owner, ends: ends ?? .max), priority: priority, in: view)
    }

    mutating func unpin(_ id: UInt64) {
        if let (entry, priority) = pins.end(id, in: view) { requeue(entry, priority) }
    }

    mutating func setPriority(_ priority: CachePriority, of entry: UInt32) {
        if pins.contains(entry) { return pins.setPriority(priority, of: entry) }
        guard view.pointee.header(of: entry).pointee.queue.priority != priority else { return }
        queues.remove(entry, in: view)
        requeue(entry, priority)
    }
}

extension EntryQueue {
    /// What puts an entry here.
    var priority: CachePriority {
        switch self {
        case .none, .young, .old, .main: .offScreen
        case .prefetched: .prefetched
        case .onScreen: .onScreen
        }
    }
}
