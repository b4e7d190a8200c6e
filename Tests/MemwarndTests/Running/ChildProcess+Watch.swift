import TestSupport
import Testing

extension ChildProcess {
    /// `memwarnd watch` at this socket, once it receives events, and the first line that it prints.
    ///
    /// It prints nothing before the first event, so hosts connect and leave until it does.
    static func watch(_ socket: String, _ options: [String] = []) throws -> (process: ChildProcess, first: String) {
        let watch = try ChildProcess("memwarnd", ["watch", "--socket", socket] + options)
        var first: String?
        for _ in 0..<100 where first == nil {
            try RawPeer(path: socket).register("passing\n")
            first = watch.line(within: 0.2) { $0.contains("passing") }
        }
        return (watch, try #require(first, "the watch hears nothing"))
    }
}
