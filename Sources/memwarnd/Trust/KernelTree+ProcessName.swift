import MemoryPressure
import MemwarnProtocol

extension KernelTree {
    /// The name of a process from `/proc/PID/comm`; `nil` if it is empty or cannot be read.
    ///
    /// It is text from a client: escape it before it is printed.
    func name(of pid: UInt32) -> String? {
        guard let text = try? KernelFile.text(of: path("/proc/\(pid)/comm")) else { return nil }
        // The kernel ends it with a newline; the name may contain others.
        let name = (text.hasSuffix("\n") ? String(text.dropLast()) : text).prefix(utf8: TextLimit.name.upperBound)
        return name.isEmpty || name.utf8.contains(0) ? nil : name
    }
}
