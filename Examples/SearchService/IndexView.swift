import ResourceManager

/// The whole index: the terms and their postings lie in it.
final class IndexView: View {
    /// How many documents are to be indexed.
    let documents: UInt32

    override init(coder: Coder) {
        documents = UInt32(clamping: coder["documents"] ?? 1000)
        super.init(coder: coder)
    }
}
