import ResourceManager

/// Pixels: three bytes each, line by line from the top, in pages that return to the kernel with the last reference.
struct Picture: Sendable {
    let width: Int
    let height: Int
    private let pixels: CacheBuffer

    /// The bytes that it occupies.
    var cost: Int { pixels.allocatedCount }

    init(width: Int, height: Int, filling fill: (UnsafeMutableBufferPointer<UInt8>) throws -> Void) throws {
        self.width = width
        self.height = height
        pixels = try CacheBuffer(count: width * height * 3) { bytes in
            try bytes.withUnsafeMutableBytes { try $0.withMemoryRebound(to: UInt8.self) { try fill($0) } }
        }
    }

    func withPixels<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
        try pixels.withBytes { bytes in
            try bytes.withUnsafeBytes { try $0.withMemoryRebound(to: UInt8.self) { try body($0) } }
        }
    }

    /// The picture at another width, never larger than the original; each pixel is the average of the pixels that it replaces.
    func scaled(toWidth wanted: Int) throws -> Picture {
        let newWidth = min(wanted, width)
        let newHeight = max(1, height * newWidth / width)
        return try withPixels { source in
            try Picture(width: newWidth, height: newHeight) { target in
                var sums = [UInt32](repeating: 0, count: newWidth * 3)
                for row in 0..<newHeight {
                    let lines = Self.span(row, newHeight, height)
                    for index in sums.indices { sums[index] = 0 }
                    for line in lines { add(line, of: source, to: &sums, newWidth) }
                    for column in 0..<newWidth {
                        let count = UInt32(Self.span(column, newWidth, width).count * lines.count)
                        for channel in 0..<3 {
                            target[(row * newWidth + column) * 3 + channel] = UInt8(sums[column * 3 + channel] / count)
                        }
                    }
                }
            }
        }
    }

    private func add(_ line: Int, of source: UnsafeBufferPointer<UInt8>, to sums: inout [UInt32], _ newWidth: Int) {
        let start = line * width * 3
        for column in 0..<newWidth {
            for pixel in Self.span(column, newWidth, width) {
                for channel in 0..<3 { sums[column * 3 + channel] += UInt32(source[start + pixel * 3 + channel]) }
            }
        }
    }

    /// The range of original pixels that one pixel replaces; at least one.
    private static func span(_ index: Int, _ fewer: Int, _ count: Int) -> Range<Int> {
        (index * count / fewer)..<((index + 1) * count / fewer)
    }
}
