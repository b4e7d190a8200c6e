extension Window {
    /// What is to be kept of the window's controllers over a restart.
    ///
    /// Only controllers with a ``ViewController/restorationIdentifier``, and only below parents that have one (rule 5.40).
    /// A stack is kept as it is, a tab container with its selection, by its identifier or, without one, by its place; of a
    /// view what ``ViewController/saveViewState(in:)``
    /// writes or, before it was unloaded, wrote. Loads nothing. Write it to a file with the
    /// `RestorationFile` of `ResourceArchives`.
    public final func restorableState() -> Properties {
        Properties(root?.restorableNode.map { ["root": .object($0)] } ?? [:])
    }

    /// Takes over what was kept of the last run.
    ///
    /// Before the window is made visible, and nothing is loaded by it (rule 5.40). Each controller that is there is given
    /// what was kept under its identifier. Controllers of a stack without an identifier stay at its bottom; those with one
    /// that are not there are made again: for the window's environment from the storyboard that they came from, or by ``ControllerHostDelegate/controllerHost(_:controllerForRestorationPath:)``;
    /// one that neither can make is left out.
    ///
    /// - Returns: Whether the root was among what was kept; `false` as well if the window is visible.
    @discardableResult
    public final func restore(from state: Properties) -> Bool {
        guard !isVisible, let root, let node: Properties = state["root"] else { return false }
        guard node["identifier"] == root.restorationIdentifier, root.restorationIdentifier != nil else { return false }
        root.restore(from: node, path: [])
        return true
    }
}

/// Which child a restart is to show again.
struct RestorableSelection {
    /// Its place among the children.
    let index: Int
    /// What it is found by, wherever it is then; by its place only without one.
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
        for node in nodes {
            guard let identifier: String = node["identifier"] else { continue }
            let present = children.first { child in
                child.restorationIdentifier == identifier && !restored.contains { $0 === child }
            }
            guard let child = present ?? make(node, path: path + [identifier]) else { continue }
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
