import MemoryPressure

/// libFuzzer calls this with each input: a pattern, and on the next line the path of a cgroup.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPattern(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeRawBufferPointer(start: bytes, count: count)
    let end = input.firstIndex(of: UInt8(ascii: "\n")) ?? input.endIndex
    let text = String(decoding: input[..<end], as: UTF8.self)
    let path = String(decoding: input[end...].dropFirst(), as: UTF8.self)
    do throws(CgroupPattern.ParseError) {
        let pattern = try CgroupPattern(text)
        guard pattern.matches(path) == matches(Array(text.utf8), Array(path.utf8)) else {
            fatalError("\(text) and \(path): \(pattern.matches(path))")
        }
        if !text.utf8.contains(UInt8(ascii: "*")), !pattern.matches(text) { fatalError("\(text) is not itself") }
    } catch {
        // A path that the kernel could show is also a valid pattern.
        let names = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { String($0) }
        if names.count > 1, names[0] == "", !names[1...].contains(where: { ["", ".", "..", nil].contains($0) }) {
            fatalError("\(error), but it is")
        }
    }
    return 0
}

/// The same without components: tracks all lengths of the path that the pattern can match, character by character.
private func matches(_ pattern: [UInt8], _ path: [UInt8]) -> Bool {
    var taken: Set<Int> = [0]
    for byte in pattern {
        if byte == UInt8(ascii: "*") {
            for start in taken {
                var end = start
                while end < path.count, path[end] != UInt8(ascii: "/") {
                    end += 1
                    taken.insert(end)
                }
            }
        } else {
            taken = Set(taken.filter { $0 < path.count && path[$0] == byte }.map { $0 + 1 })
        }
    }
    return taken.contains(path.count)
}
