@testable import MemoryPressure

/// libFuzzer calls this with each input: a byte that selects the file, and the text of `memory.events`, `memory.stat` or `vmstat`.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCounters(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard count > 0 else { return 0 }
    let input = UnsafeRawBufferPointer(start: bytes, count: count)
    // A block of exactly this size, so that the sanitizer detects reads past its end.
    let text = UnsafeMutableRawBufferPointer.allocate(byteCount: count - 1, alignment: 1)
    defer { text.deallocate() }
    text.copyMemory(from: UnsafeRawBufferPointer(rebasing: input[1...]))
    check(input[0], UnsafeRawBufferPointer(text))
    return 0
}

private func check(_ choice: UInt8, _ text: UnsafeRawBufferPointer) {
    switch choice % 3 {
    case 0:
        let keys = ["high", "max", "oom", "oom_kill"].map { number($0, in: text) }
        let events = MemoryEvents(parsing: text)
        guard events.map({ [$0.high, $0.max, $0.oom, $0.oomKill] }) ?? [] == (keys.contains(nil) ? [] : keys) else {
            fatalError("\(keys) became \(String(describing: events))")
        }
    case 1:
        guard FlatKeyedText(text)["inactive_file"] == number("inactive_file", in: text) else {
            fatalError("inactive_file is not \(String(describing: number("inactive_file", in: text)))")
        }
    default:
        let scanned = number("pgscan", in: text) ?? sum("pgscan_kswapd", "pgscan_direct", in: text)
        let refaulted =
            number("workingset_refault", in: text)
            ?? sum("workingset_refault_anon", "workingset_refault_file", in: text)
        let counters = ReclaimCounters(parsing: text)
        guard (counters == nil) == (scanned == nil && refaulted == nil),
            counters.map({ $0.scanned == scanned ?? 0 && $0.refaulted == refaulted ?? 0 }) ?? true
        else { fatalError("\(String(describing: counters)) of \(String(describing: (scanned, refaulted)))") }
    }
}

/// The same in a simpler way: the value of the only complete line with this key, if it is a number.
private func number(_ key: String, in text: UnsafeRawBufferPointer) -> UInt64? {
    let start = Array("\(key) ".utf8)
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
    let values = lines.filter { $0.starts(with: start) }.map { $0.dropFirst(start.count) }
    guard values.count == 1, let digits = values.first, digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else {
        return nil
    }
    return UInt64(String(decoding: digits, as: UTF8.self))
}

private func sum(_ first: String, _ second: String, in text: UnsafeRawBufferPointer) -> UInt64? {
    let numbers = [number(first, in: text), number(second, in: text)].compactMap { $0 }
    return numbers.isEmpty ? nil : numbers.reduce(0, &+)
}
