/// The operations of a program on its controllers, step by step, and the callbacks that they led to.
struct Transcript {
    /// The state of a controller's view.
    struct Standing: Equatable {
        var isLoaded = false
        var isOnWindow = false
    }

    /// One callback.
    struct Entry {
        let controller: String
        let callback: String
        /// The states of the present controllers just before it.
        let before: [String: Standing]
    }

    /// One statement of the program, and the callbacks that it led to.
    struct Step {
        let statement: String
        let entries: [Entry]
        /// The states of the present controllers after it.
        let after: [String: Standing]
    }

    /// The contents of the picture, in a sentence.
    let summary: String
    /// The controllers, from left to right; callbacks of others are left out.
    let lanes: [String]
    let steps: [Step]
}
