@testable import ResourceManager

/// The root view of a test controller.
///
/// It records its layout and its backing under the controller's name.
final class TracedView: View {
    static let archiveName = "TracedView"

    private var hasHadBacking = false
    private var traced: TracedController? { controller as? TracedController }

    override func layoutSubviews() {
        traced?.record("view.layoutSubviews")
        super.layoutSubviews()
    }

    override func makeBacking() -> Any? {
        guard let traced, traced.options.hasBacking else { return nil }
        traced.record(hasHadBacking ? "view.backingRebuilt" : "view.backingCreated")
        hasHadBacking = true
        return Backing(of: self)
    }

    /// Notes that it was discarded: it is deallocated while the view still lives.
    private final class Backing {
        private weak var view: TracedView?

        init(of view: TracedView) {
            self.view = view
        }

        deinit {
            view?.traced?.record("view.backingDiscarded")
        }
    }
}

/// Records how a test controller is presented.
final class TracedPresentation: PresentationController {
    private var traced: TracedController? { presentedViewController as? TracedController }

    override func containerViewWillLayoutSubviews() {
        traced?.record("presentation.containerViewWillLayoutSubviews")
    }

    override func containerViewDidLayoutSubviews() {
        traced?.record("presentation.containerViewDidLayoutSubviews")
    }
}

/// An object in a view's archive.
final class TracedObject: Responder {
    static let archiveName = "TracedObject"

    private let name: String
    private weak var owner: TracedController?

    init(_ name: String, of owner: TracedController?) {
        self.name = name
        self.owner = owner
        super.init()
        owner?.record("init(coder:)", object: name)
    }

    override func awakeFromNib() {
        owner?.record("awakeFromNib", object: name)
        super.awakeFromNib()
    }
}
