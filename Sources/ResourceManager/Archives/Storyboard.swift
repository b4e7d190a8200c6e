/// A storyboard of a host: makes controllers from its scenes.
public final class Storyboard {
    /// The storyboard's name.
    public let name: String
    /// The host in which the controllers are made.
    public let host: ControllerHost
    fileprivate let archive: StoryboardArchive

    init(_ name: String, archive: StoryboardArchive, host: ControllerHost) {
        self.name = name
        self.archive = archive
        self.host = host
    }

    /// A new controller of the initial scene; `nil` if none is named (rule 1.12).
    public func instantiateInitial() -> ViewController? {
        archive.initialScene.flatMap { instantiate(withIdentifier: $0) }
    }

    /// A new controller of a scene, decoded and awakened; its view is not loaded (rules 1.8, 1.13).
    ///
    /// Children that the scene names are made completely before it is awakened (rule 1.14). Variants are chosen for the
    /// environment in which the controller will work: the host's, unless you pass another.
    ///
    /// - Returns: `nil`, with a fault: for an identifier that is unknown or, by a variant, absent here,
    ///   ``ResourceFault/unknownIdentifier(_:)``; for a class that is not registered,
    ///   ``ResourceFault/unknownClass(_:)``; for a class that is not a controller's, ``ResourceFault/wrongClass(_:)``.
    public func instantiate(withIdentifier identifier: String, in environment: Environment? = nil) -> ViewController? {
        let environment = environment ?? host.environment
        guard let archive = archive.scenes[identifier],
            let properties = archive.variants.applied(to: archive.properties, in: environment)
        else {
            host.report(.unknownIdentifier(identifier), by: self)
            return nil
        }
        let scene = Scene(storyboard: self, identifier: identifier, archive: archive)
        let coder = Coder(host: host, properties: properties, scene: scene)
        let made = host.classes.make(archive.className, from: coder)
        guard let controller = made as? ViewController else {
            host.report(made == nil ? .unknownClass(archive.className) : .wrongClass(archive.className), by: self)
            return nil
        }
        for child in archive.children where !isAbsent(child, in: environment) {
            instantiate(withIdentifier: child, in: environment).map(controller.addArchivedChild)
        }
        controller.announce(.awakeFromNib)
        controller.awakeFromNib()
        return controller
    }

    /// Whether a variant leaves the scene out in an environment; a container is then made without it.
    private func isAbsent(_ identifier: String, in environment: Environment) -> Bool {
        guard let scene = archive.scenes[identifier] else { return false }
        return scene.variants.applied(to: scene.properties, in: environment) == nil
    }
}

extension ControllerHost {
    /// The storyboard of this name, read from ``archives``.
    ///
    /// - Returns: `nil`, with a fault: if there is no such storyboard, ``ResourceFault/storyboardNotFound(_:)``; if it
    ///   cannot be read or exceeds the limits (rule 1.20), ``ResourceFault/unreadableArchive(_:problem:)``.
    public func storyboard(named name: String) -> Storyboard? {
        do {
            if let archive = try archives?.storyboard(named: name) {
                if let excess = archive.excess {
                    report(.unreadableArchive(name, problem: excess), by: self)
                    return nil
                }
                return Storyboard(name, archive: archive, host: self)
            }
            report(.storyboardNotFound(name), by: self)
        } catch {
            report(.unreadableArchive(name, problem: "\(error)"), by: self)
        }
        return nil
    }

    /// Starts a service from its storyboard: the initial scene becomes the root of a new window, then the delegate is
    /// notified that launching has finished (rule 1.12).
    ///
    /// The window is not visible yet, so that you can restore saved state first. Keep the window: nothing else keeps it
    /// alive.
    ///
    /// - Returns: `nil`, with a fault: as ``storyboard(named:)`` and ``Storyboard/instantiate(withIdentifier:in:)``, and if
    ///   the storyboard names no initial scene, ``ResourceFault/unreadableArchive(_:problem:)``.
    public func launch(storyboard name: String) -> Window? {
        guard let storyboard = storyboard(named: name) else { return nil }
        guard storyboard.archive.initialScene != nil else {
            report(.unreadableArchive(name, problem: "it names no initial scene to launch"), by: storyboard)
            return nil
        }
        guard let root = storyboard.instantiateInitial() else { return nil }
        let window = Window(host: self)
        window.rootViewController = root
        delegate?.controllerHost(self, didFinishLaunchingIn: window)
        return window
    }
}

extension ViewController {
    /// The storyboard that the controller came from (rule 1.16).
    public final var storyboard: Storyboard? { scene?.storyboard }

    final var scene: Scene? {
        guard case .scene(let scene) = nibSource else { return nil }
        return scene
    }
}
