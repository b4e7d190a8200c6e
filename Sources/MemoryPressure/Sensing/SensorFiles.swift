internal import CLinux

/// The files of one scope, opened on the best rung of the ladder.
///
/// Used by one thread at a time.
package final class SensorFiles {
    /// Their location.
    package let place: SensorPlace
    /// The rung of the ladder.
    package let rung: Rung
    /// Why it is no higher; empty on the top rung.
    package let rungReason: String
    /// The window of the triggers, or the interval between readings while readings decide.
    package let window: Duration
    /// The descriptors to poll for `POLLPRI`, valid as long as this object lives.
    package let descriptors: [(trigger: PressureSensor.Trigger, descriptor: CInt)]
    /// All descriptors that it keeps, including those; valid as long as this object lives.
    package let allDescriptors: [CInt]
    /// The readings at the time when they were opened.
    package let first: SensorReadings
    /// Whether a file was left out for lack of descriptors or memory.
    package let isShort: Bool

    private let tree: KernelTree
    private let watch: StallWatch?
    private let limits: MemoryEventsWatch?

    /// Opens all available files; `files` keeps those of the headroom open.
    ///
    /// - Throws: ``KernelError`` if nothing can be watched.
    package init(
        _ place: SensorPlace,
        in tree: KernelTree = .live,
        policy: SensorPolicy = SensorPolicy(),
        from files: OpenFiles = OpenFiles()
    ) throws(KernelError) {
        var first = SensorReadings(at: .now)
        var failure: KernelError?
        var watch: StallWatch?
        var stallRung: Rung?
        var window = policy.sampling.standing
        var descriptors: [(trigger: PressureSensor.Trigger, descriptor: CInt)] = []
        var readers: [CInt] = []
        var reason = ""
        var isShort = false
        do throws(KernelError) {
            let opened = try StallWatch(opening: place.pressure(in: tree), plan: policy.stalls)
            first.stalls = try opened.read()
            stallRung = opened.rung
            reason = opened.rungReason
            isShort = opened.isShort
            window = opened.window
            descriptors = opened.triggers.map { (.stalls($0.kind), $0.descriptor) }
            readers = [opened.readerDescriptor]
            watch = consume opened
        } catch {
            failure = error
            isShort = error.isTemporary
            reason = "\(error)"
        }
        // Not every cgroup has limits, and not every host the controller.
        var limits: MemoryEventsWatch?
        if let cgroup = place.cgroup {
            do throws(KernelError) {
                let opened = try MemoryEventsWatch(cgroup)
                first.limitEvents = opened.first
                descriptors.append((.limits, opened.descriptor))
                limits = consume opened
            } catch {
                isShort = isShort || error.isTemporary
            }
        }
        do throws(KernelError) {
            first.headroom = try place.headroom(in: tree, from: files)
        } catch {
            first.failed.insert(.headroom)
            isShort = isShort || error.isTemporary
        }
        let rest: Rung? =
            first.limitEvents != nil
            ? .events : first.headroom == nil ? nil : place.cgroup == nil ? .available : .usage
        // This comes before the first property is set, so that there is nothing to release. The headroom of the cgroups
        // above says nothing about a cgroup that is gone.
        guard place.isThere else { throw KernelError("find", place.pressure(in: tree), errno: ENODEV) }
        guard let rung = stallRung ?? rest else {
            if let failure, place.cgroup == nil || !failure.meansGone { throw failure }
            // The cgroup exists, but has no file to read.
            throw KernelError("watch", place.pressure(in: tree), errno: ENODATA)
        }
        self.place = place
        self.tree = tree
        self.rung = rung
        rungReason = reason
        self.window = window
        self.descriptors = descriptors
        allDescriptors = readers + descriptors.map { $0.descriptor }
        self.first = first
        self.isShort = isShort
        self.watch = watch
        self.limits = limits
    }

    /// Reads some of the files; `files` has those that are open already, and keeps the others open.
    ///
    /// - Throws: ``KernelError`` if stalls or events of limits cannot be read: the scope is gone. The readings name
    ///   other files that cannot be read.
    package func read(
        _ reads: SensorReads,
        from files: OpenFiles = OpenFiles(),
        at instant: MonotonicInstant = .now
    ) throws(KernelError) -> SensorReadings {
        guard rung.hasOwnFiles || place.isThere else {
            throw KernelError("find", place.pressure(in: tree), errno: ENODEV)
        }
        var readings = SensorReadings(at: instant)
        if reads.contains(.stalls) { readings.stalls = try watch?.read() }
        if reads.contains(.limitEvents) { readings.limitEvents = try limits?.read() }
        if reads.contains(.headroom) {
            do throws(KernelError) {
                readings.headroom = try place.headroom(in: tree, from: files)
            } catch {
                readings.failed.insert(.headroom)
            }
        }
        if reads.contains(.reclaim) {
            readings.reclaim = try? ReclaimCounters.read(of: place.cgroup, in: tree, from: files)
        }
        return readings
    }

    /// Discards stall events that arrived while nothing polled, so that they are not mistaken for new ones later.
    package func discardPendingEvents() { watch?.discardPendingEvents() }
}
