import MemwarnProgram

/// The command line of `memwarnd run`; its help, which memwarnctl prints, explains the options.
struct RunOptions: Equatable {
    private(set) var socket: String?
    private(set) var config: String?

    /// For tests: a directory with the files of a simulated kernel.
    private(set) var kernelRoot: String?
    /// For tests: the delay in seconds before a host is stored with the service manager.
    private(set) var storePatience: Int?
    /// For `memwarnd simulate --standalone`: the parent process, with which the daemon ends.
    ///
    /// This daemon logs only warnings, and starts even if nothing can be watched.
    private(set) var owner: Int?

    /// The options of a command line without the program's name; `nil` if it does not start the daemon.
    ///
    /// - Throws: ``Failure`` at the first argument that is invalid.
    init?(_ words: [String]) throws(Failure) {
        let isAboutProgram = words.contains { ["-h", "--help", "--version"].contains($0) || $0.hasPrefix("--help-") }
        guard words.first == "run", !isAboutProgram else { return nil }
        var words = words.dropFirst()
        while let word = words.popFirst() {
            // --option=value is the same as --option value.
            let equals = word.hasPrefix("--") ? word.firstIndex(of: "=") : nil
            if let equals { words.insert(String(word[word.index(after: equals)...]), at: words.startIndex) }
            let name = equals.map { String(word[..<$0]) } ?? word
            switch name {
            case "--socket": socket = try Self.value(of: name, from: &words, equals != nil)
            case "--config": config = try Self.value(of: name, from: &words, equals != nil)
            case "--kernel-root": kernelRoot = try Self.value(of: name, from: &words, equals != nil)
            case "--store-patience": storePatience = try Self.number(of: name, from: &words, equals != nil)
            case "--owner": owner = try Self.number(of: name, from: &words, equals != nil)
            default: throw Self.usage("“\(name)” is not an option of the daemon")
            }
        }
    }

    private static func value(
        of option: String,
        from words: inout ArraySlice<String>,
        _ isAttached: Bool
    ) throws(Failure) -> String {
        guard let value = words.popFirst(), isAttached || !value.hasPrefix("--") else {
            throw usage("\(option) takes a value")
        }
        return value
    }

    private static func number(
        of option: String,
        from words: inout ArraySlice<String>,
        _ isAttached: Bool
    ) throws(Failure) -> Int {
        guard let number = Int(try value(of: option, from: &words, isAttached)), number >= 0 else {
            throw usage("\(option) takes a number")
        }
        return number
    }

    private static func usage(_ problem: String) -> Failure {
        Failure(message: "\(problem); see “memwarnd run --help”", code: .usage)
    }
}
