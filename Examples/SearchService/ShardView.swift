import ResourceManager

/// The view of a shard.
final class ShardView: View {
    /// `nil` until it is built.
    var contents: IndexContents? {
        didSet { cost = contents.map { IndexContents.cost(of: $0.postings) } ?? 0 }
    }
}
