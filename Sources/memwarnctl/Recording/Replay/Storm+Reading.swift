import MemoryPressure

extension Storm {
    /// Why a text is not a list of storms.
    struct Problem: Error {
        /// From 1.
        let line: Int
        let text: String
    }

    /// Reads storms from a text: two times a line, in seconds since the first sample; `#` begins a comment.
    static func list(_ text: String) throws(Problem) -> [Self] {
        var storms: [Self] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.prefix { $0 != "#" }.split { $0 == " " || $0 == "\t" || $0 == "\r" }
            if words.isEmpty { continue }
            let times = words.compactMap { Double($0) }.filter { $0 >= 0 && $0 <= 1e9 }
            guard words.count == 2, times.count == 2, times[0] <= times[1] else {
                throw Problem(line: index + 1, text: String(line))
            }
            storms.append(Self(start: UInt64(times[0] * 1000), end: UInt64(times[1] * 1000)))
        }
        return storms
    }
}
