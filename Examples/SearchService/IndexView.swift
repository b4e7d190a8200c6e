import ResourceManager

/// The view of the index, which contains the terms and their postings.
final class IndexView: View {
    /// The number of documents to index.
    let documents: UInt32

    override init(coder: Coder) {
        documents = UInt32(clamping: coder["documents"] ?? 1000)
        super.init(coder: coder)
    }
}
