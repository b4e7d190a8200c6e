internal import CLinux

/// A mistake in the use of discardable content, which refuses the call.
///
/// A fault is reported to the handler of the ``PurgeableData``, or of the `DiscardableObject`, and leaves everything as it
/// was.
public enum ContentFault: Error, Sendable, Hashable {
    /// The content was read while its access count was 0; the read returns `nil`.
    case contentNotAccessed
    /// `endContentAccess()` was called while the access count was 0; it does nothing.
    case unbalancedContentAccess

    /// Writes the fault to standard error as one line, which systemd's journal receives.
    public static func log(_ fault: ContentFault) {
        var line = "ResourceManager: \(fault): \(fault.advice)\n"
        // One write, so that lines of several threads do not mix. If standard error is closed, there is no reader.
        line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}

extension ContentFault: CustomStringConvertible {
    /// The fault's code, which is stable: `contentNotAccessed`.
    public var description: String {
        switch self {
        case .contentNotAccessed: "contentNotAccessed"
        case .unbalancedContentAccess: "unbalancedContentAccess"
        }
    }

    /// The mistake and its remedy, in one sentence.
    public var advice: String {
        switch self {
        case .contentNotAccessed:
            "content was read outside an access; call beginContentAccess() first, and read only if it returns true"
        case .unbalancedContentAccess:
            "endContentAccess() was called without an access under way; call it once for each access that began"
        }
    }
}
