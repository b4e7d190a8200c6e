/// The registered hosts, in order of registration, which is the order of their ids.
struct HostRegistry {
    private(set) var all: [Host] = []
    /// The highest id that was given to a host.
    private(set) var lastID: UInt64 = 0

    /// An id that no host had before.
    mutating func makeID() -> UInt64 {
        lastID += 1
        return lastID
    }

    /// Gives no id up to this one to another host.
    mutating func goOn(after id: UInt64) {
        lastID = max(lastID, id)
    }

    mutating func add(_ host: Host) {
        all.append(host)
    }

    mutating func remove(_ host: Host) {
        all.removeHost(host)
    }

    /// Up to `limit` hosts whose ids follow `id`.
    func page(after id: UInt64, limit: Int) -> ArraySlice<Host> {
        all[all.firstIndex(afterID: id)...].prefix(limit)
    }
}

extension [Host] {
    /// Where the first host with a higher id stands; by bisection, since ids rise.
    fileprivate func firstIndex(afterID id: UInt64) -> Int {
        var low = startIndex
        var high = endIndex
        while low < high {
            let middle = (low + high) / 2
            if self[middle].id <= id { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Puts a host into a list that is in order of ids.
    mutating func insertHost(_ host: Host) {
        insert(host, at: firstIndex(afterID: host.id))
    }

    /// Takes a host out of a list that is in order of ids.
    mutating func removeHost(_ host: Host) {
        let index = firstIndex(afterID: host.id - 1)
        if index < endIndex, self[index] === host { remove(at: index) }
    }
}
