/// What a program did with its controllers, step by step, and what the library called for it.
struct Transcript {
    /// Where a controller's view stood.
    struct Standing: Equatable {
        var isLoaded = false
        var isOnWindow = false
    }

    /// One callback.
    struct Entry {
        let controller: String
        let callback: String
        /// How the controllers that were there stood just before it.
        let before: [String: Standing]
    }

    /// One statement of the program, and the callbacks that it led to.
    struct Step {
        let statement: String
        let entries: [Entry]
        /// How the controllers that are there stood after it.
        let after: [String: Standing]
    }

    /// What the picture shows, in a sentence.
    let summary: String
    /// The controllers, from left to right; callbacks of others are left out.
    let lanes: [String]
    let steps: [Step]
}
