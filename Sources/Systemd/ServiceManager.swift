internal import CSystemd
internal import Glibc

/// What a service tells the service manager about itself, over the socket that `$NOTIFY_SOCKET` names.
///
/// Without the variable every function does nothing. Each call is one datagram; it blocks while the manager's queue is
/// full, so it has no place between a kernel event and the warnings that follow from it. See sd_notify(3).
///
/// A status is one line for `systemctl status`, in plain text: line breaks and other control characters are escaped,
/// and what goes beyond 1024 bytes is cut off.
public enum ServiceManager {
    /// Start-up is complete (`READY=1`).
    ///
    /// - Throws: ``SystemdError`` if the socket cannot be written to.
    public static func ready(status: String? = nil) throws(SystemdError) {
        try notify("READY=1", status: status)
    }

    /// What the service is doing (`STATUS=`).
    ///
    /// - Throws: ``SystemdError`` if the socket cannot be written to.
    public static func status(_ text: String) throws(SystemdError) {
        try notify(status: text)
    }

    /// The service is about to end, on request or by itself (`STOPPING=1`).
    ///
    /// - Throws: ``SystemdError`` if the socket cannot be written to.
    public static func stopping() throws(SystemdError) {
        try notify("STOPPING=1")
    }

    private static func notify(_ assignments: String..., status: String? = nil) throws(SystemdError) {
        var lines = assignments
        if let status { lines.append("STATUS=\(singleLine(status))") }
        try SystemdError.check(sd_notify(0, lines.joined(separator: "\n")), "notify the service manager")
    }

    /// The manager ignores a datagram of more than 4096 bytes as a whole, a `READY=1` in it included.
    private static let statusLimit = 1024

    private static func singleLine(_ text: String) -> String {
        let escaped = text.escapingControlCharacters
        guard escaped.utf8.count > statusLimit else { return escaped }
        var cut = ""
        for scalar in escaped.unicodeScalars {
            guard cut.utf8.count + UTF8.width(scalar) <= statusLimit else { break }
            cut.unicodeScalars.append(scalar)
        }
        return cut
    }
}
