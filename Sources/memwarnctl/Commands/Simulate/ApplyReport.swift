import MemoryPressure
import MemwarnProgram

/// The real pressure, as the kernel counted it.
struct ApplyReport: Encodable, CustomStringConvertible {
    let cgroup: String
    let memoryBytes: UInt64
    let seconds: Double
    /// For how long tasks in the cgroup stalled, some of them and all of them.
    let someStallSeconds: Double
    let fullStallSeconds: Double

    init(_ cgroup: String, _ memory: UInt64, _ time: Duration, from before: PressureStall?, to after: PressureStall?) {
        func seconds(_ kind: PressureStall.Kind) -> Double {
            let (then, now) = (before?.total(kind) ?? 0, after?.total(kind) ?? 0)
            return now > then ? Double(now - then) / 1e6 : 0
        }
        self.cgroup = cgroup
        memoryBytes = memory
        self.seconds = Double(time.microseconds) / 1e6
        someStallSeconds = seconds(.some)
        fullStallSeconds = seconds(.full)
    }

    var description: String {
        """
        \(ByteCount(memoryBytes)) for \(Milliseconds(seconds: seconds)) in \(cgroup): some tasks stalled for \
        \(Milliseconds(seconds: someStallSeconds)), all of them for \(Milliseconds(seconds: fullStallSeconds))
        """
    }
}
