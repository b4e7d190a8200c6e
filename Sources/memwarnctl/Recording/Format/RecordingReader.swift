import MemoryPressure

/// Reads a recording, item by item, up to its end, a cut, or an invalid record.
struct RecordingReader {
    /// Why bytes are not a recording.
    enum Refusal: Error {
        /// They do not begin like a recording.
        case foreign
        /// The version is unknown.
        case version(UInt8)
        /// They end, or are invalid, before the first sample.
        case header
    }

    /// How a recording ends.
    enum Ending: Hashable {
        /// After a whole record.
        case whole
        /// In the middle of a record: the writer was interrupted. The records before it are valid.
        case cut
        /// At bytes that are not valid in a recording.
        case damaged(offset: Int)
        /// It exceeds the limits of the reader.
        case long
    }

    let header: RecordingHeader
    /// The figures of all scopes in the last returned sample.
    private(set) var figures: [RecordedFigures]
    /// How it ended; `nil` before ``next()`` has returned `nil`.
    private(set) var ending: Ending?

    private var cursor: RecordingCursor
    private var time: UInt64 = 0
    private var samples: UInt64 = 0
    private var calm: UInt64 = 0
    private var waiting: RecordKind?

    /// The maximum number of samples, 30 days at three a second: a few bytes can stand for any number.
    static let sampleLimit: UInt64 = 1 << 23
    /// The maximum number of consecutive unchanged samples; no recorder produces more.
    private static let calmLimit: UInt64 = 1 << 32
    /// The maximum number of days: a few bytes can stand for years.
    static let days: UInt64 = 30
    /// The latest permitted time.
    static let timeLimit = days * 86_400_000

    init(_ bytes: [UInt8]) throws(Refusal) {
        let magic = RecordingHeader.magic
        guard bytes.starts(with: magic.dropLast()) else { throw .foreign }
        guard bytes.count >= magic.count else { throw .header }
        guard bytes[magic.count - 1] == magic.last else { throw .version(bytes[magic.count - 1]) }
        cursor = RecordingCursor(bytes, from: magic.count)
        do throws(RecordingCursor.Failure) {
            header = try Self.header(&cursor)
        } catch {
            throw .header
        }
        figures = header.scopes.map { _ in RecordedFigures() }
    }

    private static func header(_ cursor: inout RecordingCursor) throws(RecordingCursor.Failure) -> RecordingHeader {
        let interval = try cursor.number(in: RecordingHeader.intervals)
        let began = try cursor.number()
        let memoryTotal = try cursor.number()
        let kernel = try cursor.text(limit: RecordingHeader.textLimit)
        let count = try cursor.number(in: 1...UInt64(RecordingHeader.scopeLimit))
        var scopes: [RecordingHeader.Scope] = []
        for _ in 0..<count {
            let path = try cursor.text(limit: RecordingHeader.textLimit)
            guard let rung = Rung(rawValue: try cursor.byte()) else { throw .damaged }
            // The longest window that the kernel accepts is 10 s.
            let window = try cursor.number(in: 1...10_000_000)
            let figures = RecordingHeader.Figures(rawValue: try cursor.byte())
            scopes.append(RecordingHeader.Scope(path: path, rung: rung, window: window, figures: figures))
        }
        return RecordingHeader(
            interval: interval,
            began: began,
            kernel: kernel,
            memoryTotal: memoryTotal,
            scopes: scopes
        )
    }

    /// Returns the next item; from the end on always `nil`.
    mutating func next() -> RecordingItem? {
        guard ending == nil else { return nil }
        do throws(RecordingCursor.Failure) {
            while true {
                if calm > 0 {
                    calm -= 1
                    return try sample(after: header.interval)
                }
                if let kind = waiting {
                    waiting = nil
                    if let item = try item(kind) { return item }
                    continue
                }
                if cursor.isAtEnd {
                    ending = .whole
                    return nil
                }
                let head = try cursor.number()
                calm = head >> 2
                guard calm <= Self.calmLimit, samples > 0 || calm == 0 else { throw .damaged }
                waiting = RecordKind(rawValue: head & 3)
            }
        } catch {
            ending =
                switch error {
                case .cut: .cut
                case .damaged: .damaged(offset: cursor.offset)
                case .long: .long
                }
            return nil
        }
    }

    private mutating func item(_ kind: RecordKind) throws(RecordingCursor.Failure) -> RecordingItem? {
        switch kind {
        case .calm: return nil
        case .sample:
            let deviation = try cursor.signed()
            var changed = figures
            try readChanges(&changed)
            let expected = samples == 0 ? 0 : header.interval
            let (step, overflow) = Int64(expected).addingReportingOverflow(deviation)
            guard !overflow, step >= 0 else { throw .damaged }
            let item = try sample(after: UInt64(step))
            figures = changed
            return item
        case .event:
            let scope = Int(try cursor.number(in: 0...UInt64(header.scopes.count - 1)))
            let trigger: PressureSensor.Trigger
            switch try cursor.byte() {
            case 0: trigger = .stalls(.some)
            case 1: trigger = .stalls(.full)
            case 2: trigger = .limits
            default: throw .damaged
            }
            return .event(scope: scope, trigger, at: try instant())
        case .mark:
            let code = try cursor.byte()
            guard code <= 1 else { throw .damaged }
            return .mark(isStart: code == 1, at: try instant())
        }
    }

    private mutating func sample(after step: UInt64) throws(RecordingCursor.Failure) -> RecordingItem {
        guard samples < Self.sampleLimit, step <= Self.timeLimit - time else { throw .long }
        time += step
        samples += 1
        return .sample(at: time)
    }

    /// Reads a time that is stored as its distance from the last sample.
    private mutating func instant() throws(RecordingCursor.Failure) -> UInt64 {
        let (instant, overflow) = Int64(time).addingReportingOverflow(try cursor.signed())
        guard !overflow, instant >= 0, instant <= Int64(Self.timeLimit) else { throw .damaged }
        return UInt64(instant)
    }

    private mutating func readChanges(_ figures: inout [RecordedFigures]) throws(RecordingCursor.Failure) {
        guard figures.count > 1 else { return try readChanges(&figures[0]) }
        let mask = try cursor.number()
        guard mask >> UInt64(figures.count) == 0 else { throw .damaged }
        for index in figures.indices where mask & 1 << UInt64(index) != 0 { try readChanges(&figures[index]) }
    }

    private mutating func readChanges(_ scope: inout RecordedFigures) throws(RecordingCursor.Failure) {
        let changes = RecordedChanges(rawValue: try cursor.byte())
        if changes.contains(.some) { try cursor.advance(&scope.some) }
        if changes.contains(.full) { try cursor.advance(&scope.full) }
        if changes.contains(.limit) {
            let code = try cursor.byte()
            if code == 0 {
                scope.headroom = nil
            } else {
                guard let kind = BindingLimit.Kind(rawValue: code) else { throw .damaged }
                let bytes = try cursor.number()
                let path = try cursor.text(limit: RecordingHeader.textLimit)
                scope.headroom = Headroom(limit: BindingLimit(kind, bytes: bytes, path: path), used: 0)
            }
        }
        if changes.contains(.used) {
            guard var headroom = scope.headroom else { throw .damaged }
            var pages = headroom.used / RecordingWriter.page
            try cursor.advance(&pages)
            guard pages <= .max / RecordingWriter.page else { throw .damaged }
            headroom.used = pages * RecordingWriter.page
            scope.headroom = headroom
        }
        if changes.contains(.high) { try cursor.advance(&scope.high) }
        if changes.contains(.max) { try cursor.advance(&scope.max) }
        if changes.contains(.reclaim) {
            try cursor.advance(&scope.scanned)
            try cursor.advance(&scope.refaulted)
        }
        if changes.contains(.gone) { scope.isGone = true }
    }
}
