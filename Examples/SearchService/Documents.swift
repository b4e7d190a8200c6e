/// The searched texts: generated, and always the same.
///
/// A document's number is its rank: the lowest number is the best hit.
enum Documents {
    static let vocabulary = [
        "memory", "pressure", "cache", "index", "query", "shard", "warning", "daemon", "kernel", "service", "window",
        "view", "controller", "budget", "level", "stall", "scope", "round", "host", "reply", "archive", "outlet",
        "action", "segue", "stack", "tab", "child", "parent", "backing", "layout", "mode", "limit", "page", "thread",
        "actor", "load", "save", "restore", "unload", "degrade", "recover", "present", "dismiss", "push", "observe",
        "post", "record", "trace",
    ]

    /// The number of words of each document.
    private static let length = 8

    /// The words of a document, as positions in the vocabulary; the first ones are the most frequent.
    static func words(of document: UInt32) -> [Int] {
        var noise = document &* 2_654_435_761
        return (0..<length).map { _ in
            noise = noise &* 1_664_525 &+ 1_013_904_223
            let (high, low) = (Int(noise >> 20), Int((noise >> 8) & 0xfff))
            return (min(high, low) * vocabulary.count) >> 12
        }
    }

    static func text(of document: UInt32) -> String {
        words(of: document).map { vocabulary[$0] }.joined(separator: " ")
    }
}
