import TestSupport
import Testing

extension ChildProcess {
    /// `memwarnd watch` at this socket, once it hears what happens, and the line by which it said so.
    ///
    /// It says nothing before something happens, so hosts come and go until it does.
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
