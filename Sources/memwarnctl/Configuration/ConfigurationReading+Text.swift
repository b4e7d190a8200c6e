import MemwarnProtocol
import MemwarnSettings

extension ConfigurationReading {
    /// The configuration as one equivalent file: every key with its value and the origin of the value.
    var text: String {
        let sources =
            files.isEmpty ? "no file, all are defaults" : files.map(\.escapedForDisplay).joined(separator: ", ")
        var lines = ["# What the configuration says now; read: \(sources)."]
        var table: String?
        for key in ConfigurationKey.all {
            if key.table != table {
                table = key.table
                lines += ["", "[\(table ?? "")]"]
            }
            if let value = key.write(configuration) {
                let setting = "\(key.name) = \(value.toml)"
                // The width of the longest key with its default.
                let gap = String(repeating: " ", count: max(2, 34 - setting.count))
                lines.append("\(setting)\(gap)# \(origin(of: key)?.description ?? "default")")
            } else {
                lines.append("# \(key.name) is not set: \(key.unset ?? "")")
            }
        }
        return lines.joined(separator: "\n")
    }
}

extension ConfigurationReading.Origin: CustomStringConvertible {
    /// `/etc/memwarnd/memwarnd.toml:12`.
    var description: String { "\(file.escapedForDisplay):\(line)" }
}

/// A configuration in JSON.
struct ConfigurationEntry: Encodable {
    /// The files that were read, in this order.
    let files: [String]
    /// Every key.
    let keys: [Key]

    struct Key: Encodable {
        let key: String
        /// As in a file; `nil` if it is not set and has no default that could be written.
        let value: ConfigurationValue?
        /// The origin of the value; `nil`, like the line, for the default.
        let file: String?
        let line: Int?
    }

    init(_ reading: ConfigurationReading) {
        files = reading.files
        keys = ConfigurationKey.all.map { key in
            let origin = reading.origin(of: key)
            let value = key.write(reading.configuration)
            return Key(key: key.path, value: value, file: origin?.file, line: origin?.line)
        }
    }
}
