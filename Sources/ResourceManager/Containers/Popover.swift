/// Shows a controller above what a window shows, without being a controller itself (rule 5.39): a status panel, a console.
///
/// ```swift
/// let panel = Popover(contentController: StatusController(host: host))
/// panel.show(in: window)
/// ```
///
/// It keeps the controller alive, and tells it of its appearances; the popover's owner decides how long that is. While the
/// popover is shown, its content is refused as a child, as a root and as what is presented. A popover that goes away
/// while it is shown takes the view out, with what the content presents, and tells no controller.
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
        guard let window, contentController.isBare else { return }
        for presentee in contentController.presenteesOfTree { presentee.endPresentationSilently() }
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
        self.window = window
        content.popover = self
        content.bringIn()
        if self.window === window, content.loadedView?.superview !== window { self.window = nil }
        endOperation()
    }

    /// Takes the content out, with what it presents; does nothing if the popover is not shown.
    ///
    /// The view stays loaded, off window, until memory is short; shown again before that, it appears without a load. In
    /// a window that is hidden the content has disappeared already and hears nothing.
    public func dismiss() {
        let content = contentController
        guard let window, content.host.beginOperation(by: content) else { return }
        self.window = nil
        content.endPresentations()
        let place = content.loadedView?.superview
        // What was put somewhere else by hand stays there.
        if place == nil || place === window {
            content.take(.leave)
            content.take(.detach(from: window))
            content.take(.end)
        }
        endOperation()
    }

    private func endOperation() {
        // From now on the program may put the content anywhere by hand.
        if window == nil, contentController.popover === self { contentController.popover = nil }
        contentController.host.endOperation()
    }

    /// Where the content is in service; `nil` while it is not shown, or its window hidden.
    var place: View? { window.flatMap { $0.isWantedVisible ? $0 : nil } }
}
