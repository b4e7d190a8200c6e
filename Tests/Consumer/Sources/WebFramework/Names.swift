/// A name that user interface frameworks export too.
open class View {
    /// An empty one.
    public init() {}
}

/// A name that web frameworks export too.
public struct Environment {}
