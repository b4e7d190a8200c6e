internal import CLinux

/// A mistake in the use of discardable content that it noticed, and refused to act on.
///
/// A fault is reported to the handler of the ``PurgeableData``, or of the `DiscardableObject`, and leaves everything as it
/// was.
public enum ContentFault: Error, Sendable, Hashable {
    /// The content was read while its access count was 0; the read yields `nil`.
    case contentNotAccessed
    /// `endContentAccess()` was called while the access count was 0; it does nothing.
    case unbalancedContentAccess

    /// Writes the fault to standard error as one line, where systemd's journal picks it up.
    public static func log(_ fault: ContentFault) {
        var line = "ResourceManager: \(fault): \(fault.advice)\n"
        // One write, so that lines of several threads do not mix. If standard error is gone, no reader is left.
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

    /// What was wrong and what to do instead, in one sentence.
    public var advice: String {
        switch self {
        case .contentNotAccessed:
            "content was read outside an access; call beginContentAccess() first, and read only if it returns true"
        case .unbalancedContentAccess:
            "endContentAccess() was called without an access under way; call it once for each access that began"
        }
    }
}
