import MemoryPressure
import MemwarnProtocol

extension KernelTree {
    /// What a process calls itself, `/proc/PID/comm`; `nil` if it calls itself nothing, or cannot be asked.
    ///
    /// It is text from a client: escape it before it is printed.
    func name(of pid: UInt32) -> String? {
        guard let text = try? KernelFile.text(of: path("/proc/\(pid)/comm")) else { return nil }
        // The kernel ends it with a newline; there may be others in it.
        let name = (text.hasSuffix("\n") ? String(text.dropLast()) : text).prefix(utf8: TextLimit.name.upperBound)
        return name.isEmpty || name.utf8.contains(0) ? nil : name
    }
}
