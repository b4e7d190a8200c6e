public import ResourceManager

/// The baseline for `ViewController.view`: a view that is simply stored.
public final class Holder {
    /// The view.
    public var view: View

    /// Stores a view.
    public init(_ view: View) {
        self.view = view
    }
}

/// What a program does with a view: it calls something that the caller's compiler knows nothing of.
@inline(never)
@_optimize(none)
public func use(_ view: View) {}
