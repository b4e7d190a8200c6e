import ResourceManager

/// A controller whose presentations run closures at their steps.
final class SteppingController: ViewController {
    enum Step: String {
        case willPresent, didPresent, willDismiss, didDismiss, willLayout, didLayout
    }

    /// The closure for the steps of later presentations.
    var at: (Step, PresentationController) -> Void = { _, _ in }
    var whenLoaded: () -> Void = {}

    override func viewDidLoad() { whenLoaded() }

    override func makePresentationController(
        presenting presenter: ViewController,
        style: PresentationStyle
    ) -> PresentationController {
        let presentation = SteppingPresentation(presented: self, presenting: presenter, style: style)
        presentation.at = at
        return presentation
    }
}

private final class SteppingPresentation: PresentationController {
    var at: (SteppingController.Step, PresentationController) -> Void = { _, _ in }

    override func presentationTransitionWillBegin() { at(.willPresent, self) }
    override func presentationTransitionDidEnd() { at(.didPresent, self) }
    override func dismissalTransitionWillBegin() { at(.willDismiss, self) }
    override func dismissalTransitionDidEnd() { at(.didDismiss, self) }
    override func containerViewWillLayoutSubviews() { at(.willLayout, self) }
    override func containerViewDidLayoutSubviews() { at(.didLayout, self) }
}
