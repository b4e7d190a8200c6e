import Synchronization

@testable import ResourceCaches

extension CacheView.Pointer {
    /// What readers of a cache look at, with an empty table and no entry; its parts are the caller's to end.
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

    /// Ends the view alone; a store or a table that was made for it is ended before.
    func endBare() {
        deinitialize(count: 1)
        deallocate()
    }
}
