import Systemd
import WarningPolicy

/// The registrations of all hosts, in one file that the service manager keeps, so that each host costs the manager only
/// one descriptor, its connection.
///
/// A registration is written before its host's connection is stored, and its place is reused after the host has left.
/// So the file has a registration for each stored connection; it may have others, without a connection.
final class RegistrationFile {
    /// The name under which the service manager keeps it.
    static let name = "hosts"
    /// The first record, which identifies the format.
    private static let heading = Array("memwarnd hosts 1".utf8)
    /// The maximum number of hosts; descriptors run out before that.
    private static let maximumCount = 1 << 20

    private let file: RecordFile
    private var places: [HostID: Int32] = [:]
    private var free: [Int32] = []
    private var count: Int32 = 1
    /// The highest number that a host in the file has ever had; later hosts have higher ones.
    private(set) var lastHost: HostID = 0

    /// A new file without registrations.
    init() throws(SystemdError) {
        file = try RecordFile(name: Self.name)
        try file.write(Self.heading, at: 0)
    }

    /// Takes ownership of a descriptor from the service manager's store; `nil` if it is not a file of this kind, and
    /// then it is closed.
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
    func registration(of id: HostID) -> HostRegistration? {
        places[id].flatMap { registration(at: $0) }
    }

    /// Writes a host's registration to a free place.
    ///
    /// - Throws: ``SystemdError`` if memory is short.
    func write(_ registration: HostRegistration) throws(SystemdError) {
        let place = free.last ?? count
        try file.write(registration.encoded, at: Int(place))
        if free.popLast() == nil { count += 1 }
        places[registration.id] = place
        lastHost = max(lastHost, registration.id)
    }

    /// Frees the place of a host.
    func remove(_ id: HostID) {
        if let place = places.removeValue(forKey: id) { free.append(place) }
    }

    /// Frees the places of all hosts except these.
    func keepOnly(_ ids: Set<HostID>) {
        let others = places.keys.filter { !ids.contains($0) }.ordered(by: <)
        for id in others { remove(id) }
    }

    /// Releases memory of hosts that have left; free places in the file can still be reused.
    func shrink() {
        places.shrink()
    }

    private func registration(at place: Int32) -> HostRegistration? {
        (try? file.read(at: Int(place))).flatMap { $0 }.flatMap { HostRegistration(decoding: $0) }
    }
}
