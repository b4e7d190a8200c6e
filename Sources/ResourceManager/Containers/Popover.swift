/// Shows a controller above the contents of a window; it is not a controller itself (rule 5.39): a status panel, a
/// console.
///
/// ```swift
/// let panel = Popover(contentController: StatusController(host: host))
/// panel.show(in: window)
/// ```
///
/// It keeps the controller alive and sends it the appearance callbacks; the popover's owner decides how long. While the
/// popover is shown, and until its dismissal has ended, no parent, window or presenter can take the content. A popover that is
/// released while it is shown takes the view out, with the presentations over it, and sends no callbacks.
///
/// The controllers of the window's root stay in service. The content follows the window: when the window is hidden, the
/// content disappears and its view stays in place; when the window returns, the content returns too. It receives no
/// environment changes (rule 5.8). If the content releases its view meanwhile, the popover shows nothing until it is
/// dismissed and shown again.
public final class Popover {
    /// The controller that is shown; kept alive.
    public let contentController: ViewController
    /// The window that the content is shown in, hidden or not; `nil` if it is not shown.
    public private(set) var window: Window? {
        get { weakWindow.wrappedValue }
        set { weakWindow = Weak(wrappedValue: newValue) }
    }
    // Read and assigned only as a whole, so no two accesses can overlap.
    @exclusivity(unchecked) private var weakWindow = Weak<Window>(wrappedValue: nil)
    private var isDismissing = false

    /// A popover that is not shown, for a controller without a parent; loads nothing.
    public init(contentController: ViewController) {
        self.contentController = contentController
    }

    deinit {
        guard let window, contentController.isBare else { return }
        for presentee in contentController.presenteesOfTree { presentee.endPresentationSilently() }
        if contentController.isPlaced(in: window) { contentController.loadedView?.unlink() }
        contentController.abandonAppearance()
        contentController.host.discardBackingsIfRaised()
    }

    /// Brings the content's view into a visible window, above what that shows at present.
    ///
    /// In the order of rule 3.4: load if necessary, will, attach, layout, backing, did. Does nothing if the popover is
    /// shown in this window already.
    ///
    /// Refused without loading anything: ``ResourceFault/alreadyPresenting`` if the popover is shown in another window;
    /// ``ResourceFault/presenterNotInWindow`` if the window is not visible; ``ResourceFault/hierarchyInconsistency`` if
    /// the content is a child, a root or presented, or presents, or its view lies in another place.
    public func show(in window: Window) {
        let content = contentController
        guard self.window !== window else { return }
        guard self.window == nil else { return content.host.report(.alreadyPresenting, by: content) }
        guard window.isWantedVisible else { return content.host.report(.presenterNotInWindow, by: window) }
        // A callback of its own dismissal may show it again.
        let isFree = content.canBeOwned || isDismissing && content.isBare
        guard isFree, content.loadedView?.superview == nil else {
            return content.host.report(.hierarchyInconsistency, by: content)
        }

        guard content.host.beginOperation(by: content) else { return }
        content.endForgottenService()
        self.window = window
        content.popover = self
        content.bringIn()
        // A callback may have put the view elsewhere; while a presentation covers it, it is in no place.
        if self.window === window, content.covers == 0, !content.isPlaced(in: window) { self.window = nil }
        endOperation()
    }

    /// Takes the content out, with everything it presents; does nothing if the popover is not shown.
    ///
    /// The view stays loaded, off window, until a memory warning; if it is shown again before that, it appears without
    /// a load. In a hidden window the content has disappeared already, so no callbacks are sent.
    public func dismiss() {
        let content = contentController
        guard let window, content.host.beginOperation(by: content) else { return }
        self.window = nil
        let isNested = isDismissing
        isDismissing = true
        content.endPresentations()
        let place = content.loadedView?.superview
        // A view that the program has put into another place stays there.
        if place == nil || place === window {
            content.take(.leave)
            content.take(.detach(from: window))
            content.take(.end)
        }
        // What callbacks have presented meanwhile would bring the content back when it ends.
        if self.window == nil { content.endPresentations() }
        isDismissing = isNested
        endOperation()
    }

    private func endOperation() {
        // From now on the program may put the content into any view.
        if !holdsContent, contentController.popover === self { contentController.popover = nil }
        contentController.host.endOperation()
    }

    /// Whether no other owner can take the content: the popover is shown, or is being dismissed.
    var holdsContent: Bool { window != nil || isDismissing }

    /// The window in which the content is in service; `nil` while it is not shown, or while its window is hidden.
    var place: View? { window.flatMap { $0.isWantedVisible ? $0 : nil } }
}
