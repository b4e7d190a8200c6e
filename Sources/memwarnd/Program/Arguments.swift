import CLinux
import MemoryPressure
import MemwarnProgram

/// What this program was started with, byte by byte: what is handed over need not be UTF-8.
struct Arguments {
    /// Each ends with a NUL.
    private var bytes: [UInt8]

    /// Asks the kernel for them.
    init() throws(Failure) {
        let path = "/proc/self/cmdline"
        do throws(KernelError) {
            let file = try Descriptor(opening: path, O_RDONLY)
            bytes = try KernelFile.bytes(file.raw, path: path)
        } catch {
            throw .software("the command line is not known: \(error); is /proc mounted?")
        }
    }

    /// The arguments after the program's name.
    var words: [String] {
        bytes.split(separator: 0, omittingEmptySubsequences: false).dropFirst().dropLast()
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// Has the other program take this one's place, with all arguments; returns only if that does not go.
    ///
    /// - Throws: ``Failure`` if there is no such program.
    func handOver(to program: ProgramFile) throws(Failure) -> Failure {
        let path = try program.path()
        var bytes = bytes
        let starts = [0] + bytes.indices.filter { bytes[$0] == 0 }.map { $0 + 1 }.dropLast()
        bytes.withUnsafeMutableBytes { buffer in
            let first = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            _ = execv(path, starts.map { first?.advanced(by: $0) } + [nil])
        }
        return .incomplete("\(KernelError("execute", path, errno: errno)); install memwarnd again")
    }
}
