internal import MemwarnProtocol

/// A mistake in the use of controllers and views that the library has detected.
///
/// A fault is reported to the host's ``ControllerHost/faultHandling``. A call that is refused changes nothing. The load
/// of a view goes on: with an empty view (``nibNotFound(_:)``), without a view (``loadViewDidNotAssignView``), or
/// without the object or connection of the archive that is wrong.
public enum ResourceFault: Error, Sendable, Hashable {
    // MARK: Hosts

    /// A host was run whose name is empty or contains NUL, so that no daemon can register it; it does not run.
    case unusableHostName(String)

    // MARK: Views

    /// `view` was read while the controller was loading it and had not assigned one; the read yields `nil`.
    case viewAccessedDuringLoad
    /// An override of `loadView()` returned without having assigned a view; the next access tries again.
    case loadViewDidNotAssignView
    /// A view that another controller owns was assigned; the assignment is refused.
    case viewAlreadyOwned

    // MARK: Containers

    /// A view or controller was put where its parent links or its own tree forbid it; it does not move.
    case hierarchyInconsistency
    /// `endAppearanceTransition()` was called with no transition under way; it does nothing.
    case unbalancedAppearanceTransition
    /// `transition(from:to:)` was called with controllers that are not both children of the receiver.
    case notSiblings
    /// `transition(from:to:)` was called on a container that forwards appearances itself.
    case manualForwarding
    /// A container was asked to change the child that it shows during another change.
    case transitionInProgress
    /// A controller was pushed that is on the stack already.
    case alreadyOnStack
    /// Callbacks called too many operations inside each other, or one after the other, or have nearly used up the thread's
    /// stack; the next one is refused.
    case tooManyOperations

    // MARK: Presentations

    /// A controller that presents already was asked to present another.
    case alreadyPresenting
    /// A controller that is not in service was asked to present.
    case presenterNotInWindow
    /// `dismiss` was called on a controller that neither presents nor is presented.
    case nothingToDismiss

    // MARK: Environments

    /// A controller that does not support a new environment vetoed it; no controller was notified.
    case environmentRefused

    // MARK: Archives

    /// The host's archives have no nib of the requested name; the view is an empty one.
    case nibNotFound(String)
    /// The host's archives have no storyboard of this name.
    case storyboardNotFound(String)
    /// An archive exists and cannot be read; with the archive's name and the problem.
    case unreadableArchive(String, problem: String)
    /// A storyboard has no scene of that identifier.
    case unknownIdentifier(String)
    /// The host's class registry has no class of that name.
    case unknownClass(String)
    /// The class of that name has the wrong kind: a view is needed among subviews, a controller for a scene.
    case wrongClass(String)
    /// An object has no outlet of that name, or none for an object of that class.
    case unknownOutlet(String)
    /// An object has no action of that name.
    case unknownAction(String)
    /// A controller's scene has no segue of that identifier.
    case unknownSegue(String)
    /// The host's class registry has no segue of that kind.
    case unknownSegueKind(String)
    /// The source of a `push` segue is in no navigation controller.
    case noNavigationController
}

extension ResourceFault: CustomStringConvertible {
    /// The fault's code, which is stable, and its subject: `viewAlreadyOwned`, `nibNotFound:Panel`.
    ///
    /// Control characters in a name of an archive are escaped, so that they cannot control a terminal or forge a line.
    public var description: String { codeAndSubject.escapedForDisplay }

    private var codeAndSubject: String {
        switch self {
        case .unusableHostName(let name): name.isEmpty ? "unusableHostName" : "unusableHostName:\(name)"
        case .viewAccessedDuringLoad: "viewAccessedDuringLoad"
        case .loadViewDidNotAssignView: "loadViewDidNotAssignView"
        case .viewAlreadyOwned: "viewAlreadyOwned"
        case .hierarchyInconsistency: "hierarchyInconsistency"
        case .unbalancedAppearanceTransition: "unbalancedAppearanceTransition"
        case .notSiblings: "notSiblings"
        case .manualForwarding: "manualForwarding"
        case .transitionInProgress: "transitionInProgress"
        case .alreadyOnStack: "alreadyOnStack"
        case .tooManyOperations: "tooManyOperations"
        case .alreadyPresenting: "alreadyPresenting"
        case .presenterNotInWindow: "presenterNotInWindow"
        case .nothingToDismiss: "nothingToDismiss"
        case .environmentRefused: "environmentRefused"
        case .nibNotFound(let name): "nibNotFound:\(name)"
        case .storyboardNotFound(let name): "storyboardNotFound:\(name)"
        case .unreadableArchive(let name, _): "unreadableArchive:\(name)"
        case .unknownIdentifier(let identifier): "unknownIdentifier:\(identifier)"
        case .unknownClass(let name): "unknownClass:\(name)"
        case .wrongClass(let name): "wrongClass:\(name)"
        case .unknownOutlet(let name): "unknownOutlet:\(name)"
        case .unknownAction(let name): "unknownAction:\(name)"
        case .unknownSegue(let identifier): "unknownSegue:\(identifier)"
        case .unknownSegueKind(let kind): "unknownSegueKind:\(kind)"
        case .noNavigationController: "noNavigationController"
        }
    }

    /// The mistake and how to correct it, in one sentence; escaped like ``description``.
    public var advice: String { sentence.escapedForDisplay }

    private var sentence: String {
        switch self {
        case .unusableHostName:
            "a host is registered under its name; give it a name of at least one byte, without NUL"
        case .viewAccessedDuringLoad:
            "view was read before it was there; assign it in loadView() before you read it"
        case .loadViewDidNotAssignView:
            "loadView() returned without a view; assign one to view"
        case .viewAlreadyOwned:
            "the view belongs to another controller; set that controller's view to nil first"
        case .hierarchyInconsistency:
            "the view or controller cannot go there; a child's view has to lie in its parent's, nothing can lie in itself, what "
                + "is presented or presents has to be dismissed first, and a stack, tabs or a working set choose their child "
                + "themselves"
        case .unbalancedAppearanceTransition:
            "endAppearanceTransition() was called without a transition under way; call beginAppearanceTransition(_:) first"
        case .notSiblings:
            "a transition leads from one child to another; call addChild(_:) with both first"
        case .manualForwarding:
            "the container tells its children itself; use beginAppearanceTransition(_:) and endAppearanceTransition()"
        case .transitionInProgress:
            "the container is changing what it shows; ask again when that is done, in viewDidAppear() for example"
        case .alreadyOnStack:
            "the controller is on the stack; pop to it, or push another one"
        case .tooManyOperations:
            "callbacks call operations whose callbacks call more; begin the next one after the outermost call has returned"
        case .alreadyPresenting:
            "the controller presents another one; dismiss that first, or present from it"
        case .presenterNotInWindow:
            "the presenter is not in service; present from a controller that has appeared in a visible window"
        case .nothingToDismiss:
            "the controller neither presents nor is presented; call dismiss() on one that does or is"
        case .environmentRefused:
            "a controller of the window does not support the environment; ask supports(_:) of each controller "
                + "first, or pass isVetoable: false to changeEnvironment(to:isVetoable:)"
        case .nibNotFound(let name):
            "there is no nib \(name) in the host's archives; put it there or correct the name"
        case .storyboardNotFound(let name):
            "there is no storyboard \(name) in the host's archives; put it there or correct the name"
        case .unreadableArchive(_, let problem):
            "the archive cannot be read: \(problem)"
        case .unknownIdentifier(let identifier):
            "the storyboard has no scene \(identifier); add it or correct the identifier"
        case .unknownClass(let name):
            "no class \(name) is registered; register it with the host's classes"
        case .wrongClass(let name):
            "the class \(name) is of another kind than its place in the archive; name a View among views, and a "
                + "ViewController for a scene"
        case .unknownOutlet(let name):
            "no outlet \(name) takes this object; add one to the outlets of the class, or correct the name or the object's class"
        case .unknownAction(let name):
            "the object has no action \(name); add it to the class's actions"
        case .unknownSegue(let identifier):
            "the controller's scene has no segue \(identifier); add it or correct the identifier"
        case .unknownSegueKind(let kind):
            "no segue of kind \(kind) is registered; register it with the host's classes"
        case .noNavigationController:
            "a segue of kind push needs a source in a navigation controller; put it in one, or use present"
        }
    }
}
