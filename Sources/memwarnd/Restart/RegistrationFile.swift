import Systemd
import WarningPolicy

/// The registrations of all hosts, in one file that the service manager keeps: a host costs it one descriptor then, its
/// connection.
///
/// A registration is written before its host's connection is given away, and its place is used again when the host has left. So
/// the file has what belongs to each connection that the manager has of a host; what else it has belongs to no connection.
final class RegistrationFile {
    /// The name that the service manager keeps it under.
    static let name = "hosts"
    /// The first record says what the others are.
    private static let heading = Array("memwarnd hosts 1".utf8)
    /// More hosts than that have no descriptors.
    private static let maximumCount = 1 << 20

    private let file: RecordFile
    private var places: [HostID: Int32] = [:]
    private var free: [Int32] = []
    private var count: Int32 = 1
    /// The highest number that a host in it ever had: only a higher one is written over it.
    private(set) var lastHost: HostID = 0

    /// A new file without registrations.
    init() throws(SystemdError) {
        file = try RecordFile(name: Self.name)
        try file.write(Self.heading, at: 0)
    }

    /// Takes over a descriptor that such a file came back as; `nil`, and closed, if it is none.
    init?(adopting fd: CInt) {
        file = RecordFile(adopting: fd)
        guard let size = try? file.count(), (1...Self.maximumCount).contains(size),
            (try? file.read(at: 0)) == Self.heading
        else { return nil }
        count = Int32(size)
        for place in 1..<count {
            if let registration = registration(at: place) {
                places[registration.id] = place
                lastHost = max(lastHost, registration.id)
            } else {
                free.append(place)
            }
        }
    }

    var fd: CInt { file.fd }

    /// A host's registration; `nil` if there is none.
    func registration(of id: HostID) -> Registration? {
        places[id].flatMap { registration(at: $0) }
    }

    /// Keeps a host's registration, in place of none of another that is there.
    ///
    /// - Throws: ``SystemdError`` if memory is short.
    func write(_ registration: Registration) throws(SystemdError) {
        let place = free.last ?? count
        try file.write(registration.encoded, at: Int(place))
        if free.popLast() == nil { count += 1 }
        places[registration.id] = place
        lastHost = max(lastHost, registration.id)
    }

    /// Lets a host's place be used again.
    func remove(_ id: HostID) {
        if let place = places.removeValue(forKey: id) { free.append(place) }
    }

    /// Lets the places of all but these be used again.
    func keepOnly(_ ids: Set<HostID>) {
        let others = places.keys.filter { !ids.contains($0) }.sorted()
        for id in others { remove(id) }
    }

    /// Gives up the room of hosts that have left; their places in the file can be used again as before.
    func shrink() {
        places.shrink()
    }

    private func registration(at place: Int32) -> Registration? {
        (try? file.read(at: Int(place))).flatMap { $0 }.flatMap { Registration(decoding: $0) }
    }
}
