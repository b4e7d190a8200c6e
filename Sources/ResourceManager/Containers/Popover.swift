/// Shows a controller above what a window shows, without being a controller itself (rule 5.39): a status panel, a console.
///
/// ```swift
/// let panel = Popover(contentController: StatusController(host: host))
/// panel.show(in: window)
/// ```
///
/// It keeps the controller alive, and tells it of its appearances; the popover's owner decides how long that is. A
/// popover that goes away while it is shown takes the view out and tells no controller.
///
/// What the window's root shows stays in service. The content goes with the window: it disappears when that is hidden,
/// its view stays there, and it comes back with it. It hears of no environment changes (rule 5.8). A view that the content
/// gives up meanwhile is missing until the popover is dismissed and shown again.
public final class Popover {
    /// The controller that is shown; kept alive.
    public let contentController: ViewController
    /// The window that the content is shown in, hidden or not; `nil` if it is not shown.
    public private(set) weak var window: Window?

    /// A popover that is not shown, for a controller without a parent; loads nothing.
    public init(contentController: ViewController) {
        self.contentController = contentController
    }

    deinit {
        guard let window, contentController.isFree else { return }
        if contentController.loadedView?.superview === window { contentController.loadedView?.unlink() }
        contentController.abandonAppearance()
    }

    /// Brings the content's view into a visible window, above all that is there.
    ///
    /// In the order of rule 3.4: load if need be, will, attach, layout, backing, did. Does nothing if it is shown there
    /// already.
    ///
    /// Refused, and nothing loaded: ``ResourceFault/alreadyPresenting`` if the popover is shown in another window;
    /// ``ResourceFault/presenterNotInWindow`` if the window is not visible; ``ResourceFault/hierarchyInconsistency`` if
    /// the content is a child, a root or presented, or its view lies somewhere else.
    public func show(in window: Window) {
        let content = contentController
        guard self.window !== window else { return }
        guard self.window == nil else { return content.host.report(.alreadyPresenting, by: content) }
        guard window.isVisible else { return content.host.report(.presenterNotInWindow, by: window) }
        guard content.isFree, content.loadedView?.superview == nil else {
            return content.host.report(.hierarchyInconsistency, by: content)
        }

        guard content.host.beginOperation(by: content) else { return }
        defer { content.host.endOperation() }
        self.window = window
        content.prepareToAppear()
        // A callback may have dismissed the popover or hidden the window, here and below.
        guard self.window === window else { return }
        guard window.isVisible, content.isViewLoaded else { return takeContentOut(of: window) }
        content.begin(true, by: .operation)
        guard self.window === window else { return }
        guard window.isVisible, let view = content.loadedView else { return takeContentOut(of: window) }
        // Joins the transition, as the content has no parent, and ends it.
        if window.canTake(view) { view.move(to: window, with: view.topmostControllers()) }
        content.endMove(isServing: view.window === window)
    }

    /// Takes the content out, with what it presents; does nothing if the popover is not shown.
    ///
    /// The view stays loaded, off window, until memory is short; shown again before that, it appears without a load. In
    /// a window that is hidden the content has disappeared already and hears nothing.
    public func dismiss() {
        guard let window, contentController.host.beginOperation(by: contentController) else { return }
        takeContentOut(of: window)
        contentController.host.endOperation()
    }

    private func takeContentOut(of window: Window) {
        let content = contentController
        content.endPresentations()
        // One of them may have dismissed the popover.
        guard self.window === window else { return }
        self.window = nil
        let place = content.loadedView?.superview
        // Another container may have taken the content over, and tells it of its appearances now.
        guard content.isFree, place == nil || place === window else { return }
        content.begin(false, by: .operation)
        // A callback may have shown it again.
        guard self.window == nil else { return }
        content.loadedView?.takeOut()
        content.endMove(isServing: false)
    }
}
