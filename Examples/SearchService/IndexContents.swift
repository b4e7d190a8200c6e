/// Which document has which words, as it comes out of a build in the background.
struct IndexContents: Sendable {
    /// The place of each term's list in `postings`.
    private(set) var terms: [String: Int] = [:]
    /// For each term the documents that have it, the best first.
    private(set) var postings = Documents.vocabulary.map { _ in [UInt32]() }

    /// Reads the documents; takes time in proportion.
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

    /// The documents that have all the words, the best first.
    func find(_ words: [String]) -> [UInt32] { Self.intersection(words.map { terms[$0].map { postings[$0] } ?? [] }) }

    /// What is in all of the lists, in the order of the first.
    static func intersection(_ lists: [[UInt32]]) -> [UInt32] {
        guard let first = lists.first else { return [] }
        let others = lists.dropFirst().map(Set.init)
        return first.filter { document in others.allSatisfy { $0.contains(document) } }
    }

    /// The bytes that lists hold.
    static func cost(of postings: [[UInt32]]) -> Int {
        postings.reduce(0) { $0 + $1.count } * MemoryLayout<UInt32>.stride
    }
}
