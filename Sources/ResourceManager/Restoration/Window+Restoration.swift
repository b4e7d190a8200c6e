extension Window {
    /// The state of the window's controllers that is kept over a restart.
    ///
    /// It includes only controllers with a ``ViewController/restorationIdentifier``, and only below parents that have
    /// one (rule 5.40). A stack is saved whole; a tab container is saved with its selection, by the identifier or,
    /// without one, by the position. The state of a view is the one that ``ViewController/saveViewState(in:)`` writes
    /// or, for a view that was unloaded, has written. Loads nothing. Write it to a file with the `RestorationFile` of
    /// `ResourceArchives`.
    public final func restorableState() -> Properties {
        Properties(root?.restorableNode.map { ["root": .object($0)] } ?? [:])
    }

    /// Restores the state of the last run.
    ///
    /// Call it before the window is made visible; it loads nothing (rule 5.40). Each existing controller receives the
    /// state that was kept under its identifier. Controllers of a stack without an identifier stay at its bottom.
    /// Controllers of a stack with an identifier that do not exist are made again, for the window's environment: by
    /// ``ControllerHostDelegate/controllerHost(_:controllerForRestorationPath:)``, or from the storyboard that they
    /// came from. A controller that neither can make is left out.
    ///
    /// - Returns: Whether the state included the root; `false` as well if the window is visible.
    @discardableResult
    public final func restore(from state: Properties) -> Bool {
        guard !isVisible, let root, let node: Properties = state["root"] else { return false }
        guard node["identifier"] == root.restorationIdentifier, root.restorationIdentifier != nil else { return false }
        root.restore(from: node, path: [])
        return true
    }
}

/// The child that a restart should show again.
struct RestorableSelection {
    /// Its position among the children.
    let index: Int
    /// The identifier by which the child is found in any position; without one, it is found by its position only.
    let identifier: String?
}

extension ViewController {
    fileprivate var restorableNode: Properties? {
        guard let restorationIdentifier else { return nil }
        var node = Properties()
        node["identifier"] = restorationIdentifier
        if let scene {
            node["storyboard"] = scene.storyboard.name
            node["scene"] = scene.identifier
        }
        var state = Properties()
        encodeRestorableState(in: &state)
        if !state.isEmpty { node["state"] = state }
        if let viewState = currentViewState { node["view"] = viewState }
        let children = children.compactMap(\.restorableNode)
        if !children.isEmpty { node["children"] = children }
        if let shown = restorableSelection {
            node["shown"] = shown.index
            node["shownIdentifier"] = shown.identifier
        }
        return node
    }

    fileprivate func restore(from node: Properties, path: [String]) {
        let path = path + [restorationIdentifier ?? ""]
        let nodes: [Properties] = node["children"] ?? []
        var restored: [ViewController] = []
        var known: Set<ObjectIdentifier> = []
        // Several may have the same identifier: the first of each is the last in its list.
        var waiting: [String?: [ViewController]] = [:]
        for child in children.reversed() { waiting[child.restorationIdentifier, default: []].append(child) }
        for node in nodes {
            guard let identifier: String = node["identifier"] else { continue }
            func isNext(_ child: ViewController) -> Bool {
                child.isChild(of: self) && child.restorationIdentifier == identifier
                    && !known.contains(ObjectIdentifier(child))
            }
            // What a child restores may remove another one, or add one.
            let first = waiting[identifier]?.popLast().flatMap { isNext($0) ? $0 : nil }
            let present = first ?? children.first(where: isNext)
            guard let child = present ?? make(node, path: path + [identifier]) else { continue }
            known.insert(ObjectIdentifier(child))
            child.restore(from: node, path: path)
            restored.append(child)
        }
        let shown: Int? = node["shown"]
        restore(
            children: restored,
            shown: shown.map { RestorableSelection(index: $0, identifier: node["shownIdentifier"]) }
        )
        if let state: Properties = node["state"] { decodeRestorableState(from: state) }
        if !isViewLoaded { savedViewState = node["view"] }
    }

    private func make(_ node: Properties, path: [String]) -> ViewController? {
        guard isRestoringNewChildren else { return nil }
        if let made = host.delegate?.controllerHost(host, controllerForRestorationPath: path) { return made }
        guard let storyboard: String = node["storyboard"], let scene: String = node["scene"] else { return nil }
        let source = self.storyboard?.name == storyboard ? self.storyboard : host.storyboard(named: storyboard)
        let made = source?.instantiate(withIdentifier: scene, in: environment)
        made?.restorationIdentifier = path.last
        return made
    }
}
