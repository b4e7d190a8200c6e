/// One datagram to the service manager.
enum Notice {
    /// A change of the service's state, like `READY=1`, perhaps with a status in the same datagram.
    case state(String, status: String? = nil)
    /// The present activity of the service, in one line.
    case status(String)
    /// Descriptors to store under a name.
    case store(name: String, HeldDescriptors)
    /// The name whose descriptors the manager can close.
    case removal(name: String)

    /// The assignments, one on each line; a status has to be a ``statusLine(_:)``.
    var text: String {
        switch self {
        case .state(let assignments, status: nil): assignments
        case .state(let assignments, let status?): "\(assignments)\nSTATUS=\(status)"
        case .status(let status): "STATUS=\(status)"
        case .store(let name, _): "FDSTORE=1\nFDNAME=\(name)"
        case .removal(let name): "FDSTOREREMOVE=1\nFDNAME=\(name)"
        }
    }

    /// The descriptors that are sent with the text.
    var descriptors: [CInt] {
        if case .store(_, let held) = self { held.fds } else { [] }
    }

    /// A text as a status: on one line, and cut to the limit.
    static func statusLine(_ text: String) -> String {
        let escaped = text.escapingControlCharacters
        guard escaped.utf8.count > statusLimit else { return escaped }
        var cut = ""
        for scalar in escaped.unicodeScalars {
            guard cut.utf8.count + UTF8.width(scalar) <= statusLimit else { break }
            cut.unicodeScalars.append(scalar)
        }
        return cut
    }

    /// The manager ignores a datagram of more than 4096 bytes completely, including a `READY=1` in it.
    private static let statusLimit = 1024
}
