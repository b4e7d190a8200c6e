import MemoryPressure
import TOMLKit

extension Configuration {
    /// The configuration of a file, or the defaults, with some keys set as on a command line: `levels.warning=15`.
    ///
    /// - Throws: ``ConfigurationError``, as for a file.
    init(readingFrom path: String?, settings: [String]) throws(ConfigurationError) {
        let name = path ?? "--set"
        var text = ""
        if let path {
            do throws(KernelError) {
                text = try KernelFile.text(of: path)
            } catch {
                throw ConfigurationError(file: path, line: nil, key: nil, problem: "\(error)")
            }
            // With the lines of the file in what is wrong with it.
            let checked = try Configuration(parsing: text, file: path)
            guard !settings.isEmpty else {
                self = checked
                return
            }
        }
        for setting in settings { text = try Self.text(text, setting: setting) }
        try self.init(parsing: text, file: name)
    }

    /// A text in TOML with one key set anew.
    private static func text(_ text: String, setting: String) throws(ConfigurationError) -> String {
        let parts = setting.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        let isKey = path.allSatisfy { !$0.isEmpty && $0.allSatisfy { $0.isASCII && ($0.isLetter || $0 == "-") } }
        guard parts.count == 2, isKey, !parts[1].isEmpty else {
            throw ConfigurationError(
                file: "--set",
                line: nil,
                key: nil,
                problem: "expected a key and its value such as levels.warning=15, found \(setting)"
            )
        }
        do {
            let document = try TOMLTable(string: text)
            var table = document
            for name in path.dropLast() {
                if table[String(name)]?.table == nil { table[String(name)] = TOMLTable() }
                if let inner = table[String(name)]?.table { table = inner }
            }
            if let name = path.last { table[String(name)] = value(String(parts[1])) }
            return document.convert(to: .toml)
        } catch {
            throw ConfigurationError(file: "--set", line: nil, key: nil, problem: "\(error)")
        }
    }

    /// A number or a truth value where it is one; else a text, which on a command line needs no quotes.
    private static func value(_ text: String) -> any TOMLValueConvertible {
        if let flag = Bool(text) { return flag }
        if let number = Int(text) { return number }
        if let number = Double(text) { return number }
        return text
    }
}
