@testable import ResourceCaches

extension UnsafeMutablePointer<CacheView> {
    /// What readers of a cache look at, with an empty table and no entry; its parts are the caller's to end.
    static func bare(stride: Int) -> Self {
        let view = Self.allocate(capacity: 1)
        view.initialize(
            to: CacheView(
                table: EntryTable.makeBlock(),
                chunks: EntrySlab.makeDirectory(),
                layout: EntryLayout(stride: stride),
                clock: .coarse
            )
        )
        return view
    }
}
