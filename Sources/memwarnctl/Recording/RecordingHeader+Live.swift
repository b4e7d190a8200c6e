import CLinux
import MemoryPressure

extension RecordingHeader {
    /// The header of a recording that begins now.
    init(interval: Duration, _ files: [SensorFiles], in tree: KernelTree) {
        var system = utsname()
        uname(&system)
        let release = withUnsafeBytes(of: system.release) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        self.init(
            interval: interval.milliseconds,
            began: UInt64(clamping: time(nil)),
            kernel: release,
            memoryTotal: (try? MemoryAvailability.read(in: tree))?.total ?? 0,
            scopes: files.map { Scope($0) }
        )
    }
}

extension RecordingHeader.Scope {
    fileprivate init(_ files: SensorFiles) {
        var figures: RecordingHeader.Figures = []
        if files.first.stalls != nil { figures.insert(.stalls) }
        if files.first.limitEvents != nil { figures.insert(.limitEvents) }
        if (try? files.read(.reclaim))?.reclaim != nil { figures.insert(.reclaim) }
        self.init(path: files.place.name, rung: files.rung, window: files.window.microseconds, figures: figures)
    }
}
