/// Where the cgroup v2 hierarchy is mounted, and which part of it the mount shows.
///
/// Source: proc(5), `/proc/pid/mountinfo`; cgroup_namespaces(7).
package struct CgroupMount: Hashable, Sendable {
    /// The directory it is mounted on.
    package var directory: String
    /// The cgroup that this directory is, as `/proc/PID/cgroup` names it here: `/`, or `/..` seen from inside.
    package var root: String

    package init(directory: String, root: String) {
        self.directory = directory
        self.root = root
    }

    /// All mounts of type `cgroup2` in the text of a mountinfo file, in its order.
    package static func all(inMountinfo text: String) -> [Self] {
        text.split(separator: "\n").compactMap { line in
            // id, parent, device, root, mount point, options, optional fields …, "-", type, source, options
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            guard let dash = fields.dropFirst(6).firstIndex(of: "-"), dash + 1 < fields.endIndex,
                fields[dash + 1] == "cgroup2"
            else { return nil }
            return Self(directory: unescape(fields[4]), root: unescape(fields[3]))
        }
    }

    /// The directory of the cgroup with this path, or `nil` if the mount does not show it.
    package func directory(of cgroup: String) -> String? {
        guard let inside = cgroup.path(below: root) else { return nil }
        return inside == "/" ? directory : directory + inside
    }

    /// mountinfo writes blank, tab, newline and backslash as three octal digits.
    private static func unescape(_ field: Substring) -> String {
        guard field.contains("\\") else { return String(field) }
        var bytes: [UInt8] = []
        var rest = Array(field.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"), rest.count >= 3,
                let code = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8)
            {
                bytes.append(code)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension String {
    /// What is left of this path below `ancestor`, beginning with `/`; `nil` if it does not lie there.
    fileprivate func path(below ancestor: String) -> String? {
        if ancestor == "/" { return hasPrefix("/..") ? nil : self }
        if self == ancestor { return "/" }
        return hasPrefix(ancestor + "/") ? String(dropFirst(ancestor.count)) : nil
    }
}
