extension PurgeableData {
    /// The number of users of the bytes, and their location.
    ///
    /// It returns a buffer that it drops, so that the buffer is destroyed outside the lock.
    struct State {
        private enum Content {
            /// In use.
            case wired(CacheBuffer)
            /// Not in use; the kernel may reclaim its pages.
            case volatile(CacheBuffer, CacheBuffer.Canaries)
            case discarded
        }

        private var content: Content
        private var accessCount = 1
        /// The number of reads under way: an access may end before the reads that began in it.
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

        /// Begins an access with the present buffer, or else with a new one.
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

        /// Offers the pages once they are not in use.
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
