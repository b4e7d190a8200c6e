public import ResourceManager

/// The baseline for `ViewController.view`: a plain stored view.
public final class Holder {
    /// The view.
    public var view: View

    /// Stores a view.
    public init(_ view: View) {
        self.view = view
    }
}

/// A program's use of a view: it calls a function that is unknown to the caller's compiler.
@inline(never)
@_optimize(none)
public func use(_ view: View) {}
