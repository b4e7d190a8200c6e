/// A mistake in the use of controllers and views that the library noticed, and refused to act on.
///
/// A fault is reported to the host's ``ControllerHost/faultHandling`` and leaves everything as it was.
public enum ResourceFault: Error, Sendable, Hashable {
    /// `view` was read while the controller was loading it and had not assigned one; the read yields `nil`.
    case viewAccessedDuringLoad
    /// An override of `loadView()` returned without having assigned a view; the next access tries again.
    case loadViewDidNotAssignView
    /// A view that another controller owns was assigned; the assignment is refused.
    case viewAlreadyOwned
    /// A view or controller was put where its parent links or its own tree forbid it; it is not moved.
    case hierarchyInconsistency
    /// `endAppearanceTransition()` was called with no transition under way; it does nothing.
    case unbalancedAppearanceTransition
}

extension ResourceFault: CustomStringConvertible {
    /// The fault's code, which is stable: `viewAlreadyOwned`.
    public var description: String {
        switch self {
        case .viewAccessedDuringLoad: "viewAccessedDuringLoad"
        case .loadViewDidNotAssignView: "loadViewDidNotAssignView"
        case .viewAlreadyOwned: "viewAlreadyOwned"
        case .hierarchyInconsistency: "hierarchyInconsistency"
        case .unbalancedAppearanceTransition: "unbalancedAppearanceTransition"
        }
    }

    /// What was wrong and what to do instead, in one sentence.
    public var advice: String {
        switch self {
        case .viewAccessedDuringLoad:
            "view was read before it was there; assign it in loadView() before you read it"
        case .loadViewDidNotAssignView:
            "loadView() returned without a view; assign one to view"
        case .viewAlreadyOwned:
            "the view belongs to another controller; set that controller's view to nil first"
        case .hierarchyInconsistency:
            "the place contradicts the tree; add a child's view below its parent's view, and nothing below itself"
        case .unbalancedAppearanceTransition:
            "endAppearanceTransition() was called without a transition under way; call beginAppearanceTransition(_:) first"
        }
    }
}
