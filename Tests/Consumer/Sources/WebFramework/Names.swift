/// A name that user interface frameworks also export.
open class View {
    /// Creates an empty view.
    public init() {}
}

/// A name that web frameworks also export.
public struct Environment {}
