import MemwarnSettings

/// libFuzzer calls this with each input: a configuration file.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzConfiguration(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    let reading = read(text)
    let lines = text.utf8.count { $0 == UInt8(ascii: "\n") } + 1
    for problem in reading.problems {
        if problem.description.unicodeScalars.contains("\n") { fatalError("\(problem) is more than a line") }
        // Only the note that ends a list of many mistakes has no line.
        guard let line = problem.line else {
            if reading.problems.count <= 100 { fatalError("\(problem) is nowhere") }
            continue
        }
        if !(1...lines).contains(line) { fatalError("\(problem) is beyond the \(lines) lines") }
    }
    for key in ConfigurationKey.all {
        guard let origin = reading.origin(of: key) else { continue }
        if !(1...lines).contains(origin.line) { fatalError("\(key.path) is set beyond the \(lines) lines") }
    }
    guard reading.problems.isEmpty else { return 0 }
    // The printed configuration must be equal when it is read again.
    let again = read(reading.text)
    guard again.problems.isEmpty, again.configuration == reading.configuration else {
        fatalError("\(reading.text)\nreads as\n\(again.text)\n\(again.problems)")
    }
    return 0
}

private func read(_ text: String) -> ConfigurationReading {
    var reading = ConfigurationReading()
    reading.parse(text, from: "x.toml")
    reading.conclude()
    return reading
}
