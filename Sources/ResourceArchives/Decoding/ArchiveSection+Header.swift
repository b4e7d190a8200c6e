extension ArchiveSection {
    /// Whether the file states this format, in its only version.
    func hasHeader(_ format: Key, _ name: String, _ version: Key) -> Bool {
        guard let stated = required(format, "say \"format\": \"\(name)\"")?.text("\"\(name)\"") else { return false }
        guard stated == name else {
            self[format]?.report("expected \"\(name)\", found \(stated.quotedForMessage)")
            return false
        }
        guard let value = required(version, "say \"version\": 1"), let number = value.count() else { return false }
        guard number == 1 else {
            value.report("version \(number) is newer than this program, which reads version 1; update the program")
            return false
        }
        return true
    }
}
