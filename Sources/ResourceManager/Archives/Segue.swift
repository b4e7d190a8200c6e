/// A declared transition under way, from one controller of a storyboard to a new one (rule 1.15).
public final class Segue {
    /// Its name in the storyboard.
    public let identifier: String
    /// Where it starts.
    public let source: ViewController
    /// The destination: a new controller, whose view is not loaded.
    public let destination: ViewController
    /// How a `present` covers the source.
    public let style: PresentationStyle

    init(_ identifier: String, from source: ViewController, to destination: ViewController, style: PresentationStyle) {
        self.identifier = identifier
        self.source = source
        self.destination = destination
        self.style = style
    }
}

extension ViewController {
    /// Performs a segue of the controller's scene by name, without asking (rule 1.15).
    ///
    /// Instantiates the destination, calls its `awakeFromNib()`, calls ``prepare(for:)``, then performs the transition.
    /// Refused without instantiating anything: ``ResourceFault/unknownSegue(_:)``,
    /// ``ResourceFault/unknownSegueKind(_:)``, ``ResourceFault/noNavigationController``. If the transition itself is
    /// refused, that reports a fault of its own.
    ///
    /// - Returns: Whether the destination was shown; always `true` for a registered kind, which cannot tell.
    @discardableResult
    public final func performSegue(withIdentifier identifier: String) -> Bool {
        guard let scene, let archive = scene.archive.segues[identifier] else {
            host.report(.unknownSegue(identifier), by: self)
            return false
        }
        guard let perform = performer(of: archive.kind), let segue = prepare(archive, identifier, scene) else {
            return false
        }
        return perform(segue)
    }

    /// Makes a segue's destination and lets the controller prepare it; `nil` if that is refused.
    private func prepare(_ archive: SegueArchive, _ identifier: String, _ scene: Scene) -> Segue? {
        guard host.beginOperation(by: self) else { return nil }
        defer { host.endOperation() }
        let made = scene.storyboard.instantiate(withIdentifier: archive.destination, in: environment)
        guard let destination = made else { return nil }
        let segue = Segue(identifier, from: self, to: destination, style: archive.style)
        announce(.prepare, identifier)
        prepare(for: segue)
        return segue
    }

    /// Performs a segue in response to an event, unless ``shouldPerformSegue(withIdentifier:)`` refuses.
    ///
    /// A connected action with the name `segue:IDENTIFIER` does this, as does a command of that name.
    ///
    /// - Returns: Whether it was performed.
    @discardableResult
    public final func triggerSegue(withIdentifier identifier: String) -> Bool {
        guard scene?.archive.segues[identifier] != nil else {
            host.report(.unknownSegue(identifier), by: self)
            return false
        }
        return shouldPerform(identifier) && performSegue(withIdentifier: identifier)
    }

    private func shouldPerform(_ identifier: String) -> Bool {
        guard host.beginOperation(by: self) else { return false }
        defer { host.endOperation() }
        announce(.shouldPerformSegue, identifier)
        return shouldPerformSegue(withIdentifier: identifier)
    }

    /// The segue that an action triggers.
    final func segueIdentifier(ofAction action: String) -> String? {
        let prefix = "segue:"
        guard action.hasPrefix(prefix) else { return nil }
        let identifier = String(action.dropFirst(prefix.count))
        return scene?.archive.segues[identifier] == nil ? nil : identifier
    }

    private func performer(of kind: String) -> ((Segue) -> Bool)? {
        if let perform = host.classes.segue(kind) {
            return { segue in
                perform(segue)
                return true
            }
        }
        switch kind {
        case "push":
            if let navigation = navigationController {
                return { segue in
                    navigation.push(segue.destination)
                    return segue.destination.isChild(of: navigation)
                }
            }
            host.report(.noNavigationController, by: self)
        case "present":
            return { segue in
                segue.source.present(segue.destination, style: segue.style)
                return segue.source.presentedViewController === segue.destination
            }
        default:
            host.report(.unknownSegueKind(kind), by: self)
        }
        return nil
    }
}

extension ViewController {
    /// The nearest navigation controller that contains this one.
    public final var navigationController: NavigationController? {
        parent as? NavigationController ?? parent?.navigationController
    }

    /// The nearest tab controller that contains this one.
    public final var tabController: TabController? {
        parent as? TabController ?? parent?.tabController
    }
}
