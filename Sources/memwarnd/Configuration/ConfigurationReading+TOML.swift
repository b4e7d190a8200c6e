import CLinux
import MemoryPressure
import MemwarnProtocol
import TOMLKit

extension ConfigurationReading {
    /// How long a file may be, in bytes: far longer than the 6 KB of the one that names every key.
    ///
    /// The daemon does nothing else while it reads.
    static let longestFile = 1 << 20

    /// Reads the configuration at `path`, or the system's if that is `nil`, and its drop-ins.
    init(of path: String?) {
        self.init()
        let files = ConfigurationFiles(of: path)
        read(files.main, isRequired: files.isRequired)
        do throws(KernelError) {
            for file in try files.dropIns() { read(file, isRequired: true) }
        } catch {
            refuse(error.path, "\(error)")
        }
        checkOrder()
    }

    private mutating func read(_ file: String, isRequired: Bool) {
        do throws(KernelError) {
            parse(try KernelFile.text(of: file, limit: Self.longestFile), from: file)
        } catch  where error.errno == EFBIG {
            refuse(file, "it is longer than \(Self.longestFile >> 20) MiB; a configuration file has some kilobytes")
        } catch {
            if isRequired || error.errno != ENOENT { refuse(file, "\(error)") }
        }
    }

    /// Takes what the text of a file sets.
    mutating func parse(_ text: String, from file: String) {
        // The parser would take it for the end of the file.
        if let end = text.utf8.firstIndex(of: 0) {
            let line = text.utf8[..<end].count { $0 == UInt8(ascii: "\n") } + 1
            return refuse(file, line: line, "there is a NUL in the text; a configuration file is plain text")
        }
        let source = ConfigurationSource(text)
        if let stumble = source.stumble { return refuse(file, line: stumble.line, stumble.problem) }
        do {
            take(ConfigurationValue.values(of: try TOMLTable(string: text)), from: file, source)
        } catch let error as TOMLParseError {
            // It may have pieces of the text in it; what the parser has escaped in it stays as it is.
            let pieces = error.description.split(separator: "\\", omittingEmptySubsequences: false)
            let problem = pieces.map { String($0).escapedForDisplay }.joined(separator: "\\")
            refuse(file, line: error.source.begin.line, problem)
        } catch {
            refuse(file, "\(error)")
        }
    }
}

extension ConfigurationValue {
    fileprivate static func values(of table: TOMLTable) -> [String: Self] {
        var values: [String: Self] = [:]
        for key in table.keys { values[key] = table[key].map { Self($0) } }
        return values
    }

    private init(_ value: any TOMLValueConvertible) {
        if let text = value.string {
            self = .text(text)
        } else if let number = value.int {
            self = .integer(number)
        } else if let number = value.double {
            self = .number(number)
        } else if let flag = value.bool {
            self = .flag(flag)
        } else if let array = value.array {
            self = .list(array.map { Self($0) })
        } else if let table = value.table {
            self = .table(Self.values(of: table))
        } else {
            self = .other(value.debugDescription)
        }
    }
}
