import Synchronization

@testable import ResourceCaches

extension CacheView.Pointer {
    /// The view through which readers see a cache, with an empty table and no entry.
    ///
    /// The caller deallocates its parts.
    static func bare(pairStride: Int) -> Self {
        let view = Self.allocate(capacity: 1)
        view.initialize(
            to: CacheView(
                layout: EntryLayout(pairStride: pairStride),
                chunks: EntryStore.makeDirectory(),
                clock: .coarse
            )
        )
        return view
    }

    /// Deallocates the view alone, after any store or table that was made for it.
    func endBare() {
        deinitialize(count: 1)
        deallocate()
    }
}
