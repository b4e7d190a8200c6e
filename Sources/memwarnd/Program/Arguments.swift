import CLinux
import MemoryPressure
import MemwarnProgram

/// The arguments of this program as bytes: they are passed on, and need not be UTF-8.
struct Arguments {
    /// The arguments, each with a NUL at its end.
    private var bytes: [UInt8]

    /// Reads them from the kernel.
    init() throws(Failure) {
        let path = "/proc/self/cmdline"
        do throws(KernelError) {
            let file = try Descriptor(opening: path, O_RDONLY)
            bytes = try KernelFile.bytes(file.raw, path: path)
        } catch {
            throw .software("the command line cannot be read: \(error); is /proc mounted?")
        }
    }

    /// The arguments after the program's name.
    var words: [String] {
        bytes.split(separator: 0, omittingEmptySubsequences: false).dropFirst().dropLast()
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// Replaces this program by the other one, with all arguments; returns only if that fails.
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
