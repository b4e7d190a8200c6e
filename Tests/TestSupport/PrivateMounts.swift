import CLinux
import Testing

/// A mount namespace for one thread, so that a test can replace a system directory.
public enum PrivateMounts {
    /// Whether this process may have one, tried on a thread that ends at once.
    public static let areAllowed: Bool = {
        var thread = pthread_t()
        let created = pthread_create(
            &thread,
            nil,
            { _ in separate() ? nil : UnsafeMutableRawPointer(bitPattern: 1) },
            nil
        )
        guard created == 0 else { return false }
        var refused: UnsafeMutableRawPointer?
        pthread_join(thread, &refused)
        return refused == nil
    }()

    /// Moves the calling thread into its own mount namespace.
    public static func enter() throws {
        try #require(separate())
    }

    /// Moves the calling thread into a namespace where an empty directory hides `path`.
    public static func enter(emptying path: String) throws {
        try enter()
        try #require(mount("none", path, "tmpfs", 0, nil) == 0)
    }

    /// Private, so that no mount spreads to the rest of the system.
    private static func separate() -> Bool {
        // CLinux, without _GNU_SOURCE, has neither unshare(2) nor its flag.
        guard let symbol = dlsym(nil, "unshare") else { return false }
        let unshare = unsafeBitCast(symbol, to: (@convention(c) (CInt) -> CInt).self)
        let newMountNamespace: CInt = 0x0002_0000
        return unshare(newMountNamespace) == 0 && mount("none", "/", nil, UInt(MS_REC | MS_PRIVATE), nil) == 0
    }
}
