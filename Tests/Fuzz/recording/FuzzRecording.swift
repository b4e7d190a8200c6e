import MemoryPressure

/// libFuzzer calls this with each input, which is read as a recording.
///
/// Samples that can be read can be written again, and then read the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRecording(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    guard var reader = try? RecordingReader(input) else { return 0 }
    var writer = RecordingWriter(reader.header)
    var samples: [(at: UInt64, figures: [RecordedFigures])] = []
    while let item = reader.next() {
        // A run of samples without changes may be long, and adds nothing.
        if samples.count == 2_000 { break }
        guard case .sample(let at) = item else { continue }
        if let last = samples.last, last.at > at { fatalError("\(at) comes after \(last.at)") }
        samples.append((at, reader.figures))
        writer.sample(reader.figures, at: at)
    }
    guard samples.count == 2_000 || reader.ending != nil, reader.ending == nil || reader.next() == nil else {
        fatalError("it does not end")
    }
    guard var again = try? RecordingReader(writer.take()), again.header == reader.header else {
        fatalError("the header became another one")
    }
    for (at, figures) in samples {
        guard case .sample(let time) = again.next() else { fatalError("a sample is missing") }
        guard max(at, time) - min(at, time) <= reader.header.interval / 4 else { fatalError("\(at) became \(time)") }
        for (before, after) in zip(figures, again.figures) { check(before, after) }
    }
    guard again.next() == nil, again.ending == .whole else { fatalError("there is more than was written") }
    return 0
}

private func check(_ before: RecordedFigures, _ after: RecordedFigures) {
    // A scope that is gone has no figures.
    if before.isGone, after.isGone { return }
    var after = after
    if let used = before.headroom?.used, let read = after.headroom {
        guard max(used, read.used) - min(used, read.used) <= max(4096, read.limit.bytes / 1024) else {
            fatalError("\(used) became \(read.used)")
        }
        after.headroom?.used = used
    }
    guard before == after else { fatalError("\(before) became \(after)") }
}
