import CLinux

/// The variables that this program was started with.
enum ProcessEnvironment {
    /// The value of a variable; `nil` if it is not set.
    static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }
}
