/// The words of each document, as the background build returns them.
struct IndexContents: Sendable {
    /// The place of each term's list in `postings`.
    private(set) var terms: [String: Int] = [:]
    /// The documents that contain each term, the best first.
    private(set) var postings = Documents.vocabulary.map { _ in [UInt32]() }

    /// Reads the documents; takes time in proportion to their number.
    ///
    /// - Throws: `CancellationError` soon after the task was cancelled.
    init(documents: Range<UInt32>) throws {
        for document in documents {
            if document % 4096 == 0 { try Task.checkCancellation() }
            for word in Documents.words(of: document) where postings[word].last != document {
                postings[word].append(document)
            }
        }
        for (place, word) in Documents.vocabulary.enumerated() where !postings[place].isEmpty { terms[word] = place }
    }

    /// The documents that contain all the words, the best first.
    func find(_ words: [String]) -> [UInt32] { Self.intersection(words.map { terms[$0].map { postings[$0] } ?? [] }) }

    /// The elements that all lists contain, in the order of the first list.
    static func intersection(_ lists: [[UInt32]]) -> [UInt32] {
        guard let first = lists.first else { return [] }
        let others = lists.dropFirst().map(Set.init)
        return first.filter { document in others.allSatisfy { $0.contains(document) } }
    }

    /// The bytes of the lists.
    static func cost(of postings: [[UInt32]]) -> Int {
        postings.reduce(0) { $0 + $1.count } * MemoryLayout<UInt32>.stride
    }
}
