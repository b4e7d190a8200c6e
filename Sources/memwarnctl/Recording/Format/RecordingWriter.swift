import MemoryPressure

/// Writes a recording: the changes since the previous sample, and the numbers of unchanged samples.
struct RecordingWriter {
    /// The bytes that are written and not yet taken.
    private(set) var pending: [UInt8] = []
    /// The number of written samples.
    private(set) var samples: UInt64 = 0
    private let interval: UInt64
    private var figures: [RecordedFigures]
    /// The time that a reader has for the last sample, in milliseconds.
    private var time: UInt64 = 0
    private var calm: UInt64 = 0

    init(_ header: RecordingHeader) {
        interval = header.interval
        figures = header.scopes.map { _ in RecordedFigures() }
        pending = RecordingHeader.magic
        for number in [header.interval, header.began, header.memoryTotal] { pending.append(number: number) }
        pending.append(text: header.kernel)
        pending.append(number: UInt64(header.scopes.count))
        for scope in header.scopes {
            pending.append(text: scope.path)
            pending.append(scope.rung.rawValue)
            pending.append(number: scope.window)
            pending.append(scope.figures.rawValue)
        }
    }

    /// Adds the figures of all scopes at a time in milliseconds since the first sample.
    mutating func sample(_ now: [RecordedFigures], at instant: UInt64) {
        defer { samples += 1 }
        // Unchanged samples may have been a little earlier than a reader assumes.
        let instant = max(instant, time)
        let changes = zip(figures, now).map { Self.changes(from: $0, to: $1) }
        let expected = samples == 0 ? 0 : time + interval
        // The exact times of unchanged samples do not matter, as long as later samples have the right times.
        let isOnTime = expected.isWithin(interval / 4, of: instant)
        guard samples == 0 || !isOnTime || changes.contains(where: { !$0.isEmpty }) else {
            calm += 1
            time = expected
            return
        }
        begin(.sample)
        pending.append(from: expected, to: instant)
        time = instant
        if figures.count > 1 {
            pending.append(number: changes.indices.reduce(0) { $0 | (changes[$1].isEmpty ? 0 : 1 << UInt64($1)) })
        }
        for index in changes.indices where figures.count == 1 || !changes[index].isEmpty {
            figures[index] = append(changes[index], now[index], after: figures[index])
        }
    }

    /// Adds that the kernel sent an event.
    mutating func event(scope: Int, _ trigger: PressureSensor.Trigger, at instant: UInt64) {
        begin(.event)
        pending.append(number: UInt64(scope))
        let code: UInt8 =
            switch trigger {
            case .stalls(.some): 0
            case .stalls(.full): 1
            case .limits: 2
            }
        pending.append(code)
        pending.append(from: time, to: instant)
    }

    /// Adds that a storm begins or ends.
    mutating func mark(isStart: Bool, at instant: UInt64) {
        begin(.mark)
        pending.append(isStart ? 1 : 0)
        pending.append(from: time, to: instant)
    }

    /// Returns the bytes since the last call, to be written.
    mutating func take() -> [UInt8] {
        if calm > 0 { begin(.calm) }
        defer { pending.removeAll(keepingCapacity: true) }
        return pending
    }

    private mutating func begin(_ kind: RecordKind) {
        pending.append(number: calm << 2 | kind.rawValue)
        calm = 0
    }

    /// Adds a scope's changes; returns the figures that a reader then knows.
    private mutating func append(
        _ changes: RecordedChanges,
        _ now: RecordedFigures,
        after last: RecordedFigures
    ) -> RecordedFigures {
        var last = last
        pending.append(changes.rawValue)
        func counter(_ change: RecordedChanges, _ path: WritableKeyPath<RecordedFigures, UInt64>) {
            guard changes.contains(change) else { return }
            pending.append(from: last[keyPath: path], to: now[keyPath: path])
            last[keyPath: path] = now[keyPath: path]
        }
        counter(.some, \.some)
        counter(.full, \.full)
        if changes.contains(.limit) {
            pending.append(now.headroom?.limit.kind.rawValue ?? 0)
            if let limit = now.headroom?.limit {
                pending.append(number: limit.bytes)
                pending.append(text: limit.path)
            }
            last.headroom = now.headroom.map { Headroom(limit: $0.limit, used: 0) }
        }
        if changes.contains(.used), let used = now.headroom?.used {
            pending.append(from: (last.headroom?.used ?? 0) / Self.page, to: used / Self.page)
            last.headroom?.used = used / Self.page * Self.page
        }
        counter(.high, \.high)
        counter(.max, \.max)
        if changes.contains(.reclaim) {
            counter(.reclaim, \.scanned)
            counter(.reclaim, \.refaulted)
        }
        last.isGone = now.isGone
        return last
    }

    /// Memory in use is written in pages.
    static let page: UInt64 = 4096

    private static func changes(from last: RecordedFigures, to now: RecordedFigures) -> RecordedChanges {
        var changes: RecordedChanges = []
        if last.isGone { return changes }
        if now.some != last.some { changes.insert(.some) }
        if now.full != last.full { changes.insert(.full) }
        if now.headroom?.limit != last.headroom?.limit { changes.insert([.limit, .used]) }
        // A calm machine's memory in use changes all the time: a thousandth of the limit is as fine as any threshold.
        if let left = now.headroom, let before = last.headroom,
            !left.used.isWithin(max(page, left.limit.bytes / 1024), of: before.used)
        {
            changes.insert(.used)
        }
        if now.headroom == nil { changes.remove(.used) }
        if now.high != last.high { changes.insert(.high) }
        if now.max != last.max { changes.insert(.max) }
        if (now.scanned, now.refaulted) != (last.scanned, last.refaulted) { changes.insert(.reclaim) }
        if now.isGone { changes.insert(.gone) }
        return changes
    }
}

extension UInt64 {
    fileprivate func isWithin(_ distance: Self, of other: Self) -> Bool {
        Swift.max(self, other) - Swift.min(self, other) < Swift.max(1, distance)
    }
}
