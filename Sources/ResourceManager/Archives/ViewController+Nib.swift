extension ViewController {
    /// Loads the view from the nib that was named or, by the class's name, exists; returns false if there is none.
    func loadArchivedView() -> Bool {
        guard let archive = findNib() else { return false }
        NibLoader(owner: self, archive: archive).load()
        return true
    }

    private func findNib() -> NibArchive? {
        switch nibSource {
        case .named(let name):
            return host.nib(named: name, neededBy: self)
        case .scene(let scene):
            switch scene.archive.view {
            case .archive(let archive): return archive
            case .nib(let name): return host.nib(named: name, neededBy: self)
            // Without a view in the scene, the class may still have a nib.
            case nil: return inferredNib()
            }
        case .inferred:
            return inferredNib()
        }
    }

    /// Whether a nib with the class's name exists; reads it.
    var hasInferredNib: Bool {
        guard case .inferred = nibSource else { return false }
        return inferredNib() != nil
    }

    /// `MyViewController` has its view in `MyView` or, failing that, in `MyViewController` (rule 1.6).
    private func inferredNib() -> NibArchive? {
        guard host.archives != nil else { return nil }
        let name = className.unqualified
        let suffix = "Controller"
        if name.hasSuffix(suffix), name != suffix, let archive = host.nib(named: String(name.dropLast(suffix.count))) {
            return archive
        }
        return host.nib(named: name)
    }
}

extension ControllerHost {
    /// A nib; `nil` with a fault if it cannot be read or loaded, or if there is none and a controller names it.
    func nib(named name: String, neededBy controller: ViewController? = nil) -> NibArchive? {
        do {
            guard let nib = try archives?.nib(named: name) else {
                if let controller { report(.nibNotFound(name), by: controller) }
                return nil
            }
            guard let excess = nib.excess else { return nib }
            report(.unreadableArchive(name, problem: excess), by: self)
            return nil
        } catch {
            report(.unreadableArchive(name, problem: "\(error)"), by: self)
            return nil
        }
    }
}
