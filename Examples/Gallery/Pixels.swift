/// Memory that is really in use: every page of it was written.
final class Pixels: Sendable {
    /// In bytes.
    let size: Int
    // Written in the initialiser only.
    nonisolated(unsafe) private let bytes: UnsafeMutableRawPointer

    init(mebibytes: Int) {
        size = mebibytes << 20
        bytes = .allocate(byteCount: size, alignment: 4096)
        bytes.initializeMemory(as: UInt8.self, repeating: 0xa5, count: size)
    }

    deinit {
        bytes.deallocate()
    }
}
