import MemwarnProtocol

/// libFuzzer calls this with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFrame(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeRawBufferPointer(start: bytes, count: count)
    check(input)
    // Once more with the right length in the header: otherwise decoding would end there for nearly every input whose length
    // changed. A block of exactly this size, so that the sanitizer detects reads past its end.
    if count >= Frame.headerSize {
        let repaired = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        defer { repaired.deallocate() }
        repaired.copyMemory(from: input)
        repaired.storeBytes(of: UInt32(count).littleEndian, toByteOffset: 4, as: UInt32.self)
        check(UnsafeRawBufferPointer(repaired))
    }
    return 0
}

/// Decodes the input and, if it is a frame, traps unless the frame can be written and read again.
private func check(_ input: UnsafeRawBufferPointer) {
    guard let frame = try? Frame(decoding: input) else { return }
    do {
        let again = try frame.encoded().withUnsafeBytes { try Frame(decoding: $0) }
        guard again == frame else { fatalError("\(frame) came back as \(again)") }
    } catch {
        fatalError("\(frame) cannot be written and read again: \(error)")
    }
}
