import MemoryPressure

/// libFuzzer calls this with each input: a PSI file.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPressure(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let stall = try? PressureStall(parsing: UnsafeRawBufferPointer(start: bytes, count: count)) else { return 0 }
    // The values must be in range, and must read the same when they are written in the kernel's form.
    let text = [line("some", stall.some), stall.full.map { line("full", $0) } ?? ""].joined()
    var written = text
    let again = written.withUTF8 { try? PressureStall(parsing: UnsafeRawBufferPointer($0)) }
    guard again == stall else { fatalError("\(text) came back as \(String(describing: again))") }
    return 0
}

private func line(_ keyword: String, _ line: PressureStall.Line) -> String {
    let averages = [line.average10, line.average60, line.average300].map { share in
        "\(share.basisPoints / 100).\(share.basisPoints % 100 / 10)\(share.basisPoints % 10)"
    }
    return "\(keyword) avg10=\(averages[0]) avg60=\(averages[1]) avg300=\(averages[2]) total=\(line.total)\n"
}
