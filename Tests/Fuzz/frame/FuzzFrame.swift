import MemwarnProtocol

/// Called by libFuzzer with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFrame(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeRawBufferPointer(start: bytes, count: count)
    check(input)
    // Once more with the right length in the header: otherwise nearly every input of another length than its
    // ancestor would end there. In memory of exactly this size, so that the sanitizer knows where it ends.
    if count >= Frame.headerSize {
        let repaired = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
        defer { repaired.deallocate() }
        repaired.copyMemory(from: input)
        repaired.storeBytes(of: UInt32(count).littleEndian, toByteOffset: 4, as: UInt32.self)
        check(UnsafeRawBufferPointer(repaired))
    }
    return 0
}

/// Decodes the input and, if it is a frame, traps unless it can be written and read again.
private func check(_ input: UnsafeRawBufferPointer) {
    guard let frame = try? Frame(decoding: input) else { return }
    do {
        let again = try frame.encoded().withUnsafeBytes { try Frame(decoding: $0) }
        guard again == frame else { fatalError("\(frame) came back as \(again)") }
    } catch {
        fatalError("\(frame) cannot be written and read again: \(error)")
    }
}
