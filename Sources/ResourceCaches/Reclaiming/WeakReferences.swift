internal import Synchronization

/// The number of weak references that all caches of a reclaimer keep.
///
/// A warning has to free memory, and each reference takes some two hundred bytes.
final class WeakReferences: Sendable {
    /// Some six MiB; threads that add references at the same time may exceed it.
    private static let most = 32_768

    private let count = Atomic(0)

    var hasRoom: Bool { count.load(ordering: .relaxed) < Self.most }

    func add(_ change: Int) { count.add(change, ordering: .relaxed) }
}
