import ResourceArchives
import ResourceManager

/// libFuzzer calls this with each input: an archive of either format, and any JSON.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzArchive(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    for file in ["x", "x.nib.json", "x.storyboard.json"] {
        let reading = ArchiveReading(input, file: file, nibs: ["Index"])
        if (reading.content == nil) != !reading.errors.isEmpty { fatalError("\(reading) has no reason") }
        for problem in reading.problems where problem.line < 1 || problem.column < 1 || "\(problem)".isEmpty {
            fatalError("\(problem) is nowhere")
        }
    }
    // The properties must stay the same when they are written and read again, as must the text from then on.
    guard let properties = try? Properties(json: input, file: "x") else { return 0 }
    do {
        let written = try properties.json()
        let again = try Properties(json: written, file: "x")
        guard again == properties, try again.json() == written else { fatalError("\(properties) became \(again)") }
    } catch {
        fatalError("\(properties) cannot be written and read again: \(error)")
    }
    return 0
}
