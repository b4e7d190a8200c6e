internal import CLinux
internal import MemoryPressure

/// One of memwarnd's two programs, as the file that the other program executes.
package enum ProgramFile: String {
    /// The daemon, the program that users start.
    case memwarnd
    /// The commands, which only the daemon's program and tests execute.
    case memwarnctl

    /// The path of the file: beside the running program, or at its place in an installation.
    ///
    /// - Throws: ``Failure`` that names both paths, if neither exists.
    package func path() throws(Failure) -> String {
        let folder: String
        do throws(KernelError) {
            folder = try Self.ownFolder()
        } catch {
            throw .incomplete("\(rawValue) cannot be found: \(error); is /proc mounted?")
        }
        let places = ["\(folder)/\(installed)", "\(folder)/\(rawValue)"]
        for place in places where access(place, X_OK) == 0 { return place }
        throw .incomplete(
            "a part of memwarnd is missing: there is no program \(places[0]), nor \(places[1]); install memwarnd again"
        )
    }

    /// The path relative to the other program's folder in an installation.
    private var installed: String {
        switch self {
        case .memwarnd: "../../bin/memwarnd"
        case .memwarnctl: "../libexec/memwarnd/memwarnctl"
        }
    }

    /// The folder of the running program.
    private static func ownFolder() throws(KernelError) -> String {
        let link = "/proc/self/exe"
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(link, &bytes, bytes.count)
        guard count > 0 else { throw KernelError("read", link, errno: errno) }
        let path = bytes[..<count].map { UInt8(bitPattern: $0) }
        return String(decoding: path[..<(path.lastIndex(of: UInt8(ascii: "/")) ?? 0)], as: UTF8.self)
    }
}
