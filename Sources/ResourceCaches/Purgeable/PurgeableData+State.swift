extension PurgeableData {
    /// How often the bytes are in use, and where they are.
    ///
    /// A buffer that leaves it is handed out, to end outside of the lock.
    struct State {
        private enum Content {
            /// In use.
            case wired(CacheBuffer)
            /// Not in use, and the kernel may take pages of it.
            case volatile(CacheBuffer, CacheBuffer.Canaries)
            case discarded
        }

        private var content: Content
        private var accessCount = 1
        /// Reads under way: the access in which they began may end before they do.
        private var readerCount = 0

        init(_ buffer: CacheBuffer) {
            content = .wired(buffer)
        }

        var isInUse: Bool {
            if case .wired = content { true } else { false }
        }

        var isDiscarded: Bool {
            if case .discarded = content { true } else { false }
        }

        var idleCount: Int {
            if case .volatile(let buffer, _) = content { buffer.residentCount } else { 0 }
        }

        mutating func begin(lost: inout CacheBuffer?) -> Bool {
            switch content {
            case .wired: break
            case .volatile(let buffer, let canaries):
                guard buffer.makeNonVolatile(canaries) else {
                    lost = buffer
                    content = .discarded
                    return false
                }
                content = .wired(buffer)
            case .discarded: return false
            }
            accessCount += 1
            return true
        }

        /// Begins with what there is, or else with a new buffer.
        mutating func begin(with buffer: CacheBuffer, lost: inout CacheBuffer?) {
            guard !begin(lost: &lost) else { return }
            content = .wired(buffer)
            accessCount += 1
        }

        mutating func end() -> Bool {
            guard accessCount > 0 else { return false }
            accessCount -= 1
            offer()
            return true
        }

        mutating func beginReading() -> CacheBuffer? {
            guard accessCount > 0, case .wired(let buffer) = content else { return nil }
            readerCount += 1
            return buffer
        }

        mutating func endReading() {
            readerCount -= 1
            offer()
        }

        /// Once it is not in use.
        private mutating func offer() {
            guard accessCount == 0, readerCount == 0, case .wired(let buffer) = content else { return }
            content = .volatile(buffer, buffer.makeVolatile())
        }

        mutating func discard() -> CacheBuffer? {
            guard case .volatile(let buffer, _) = content else { return nil }
            content = .discarded
            return buffer
        }
    }
}
