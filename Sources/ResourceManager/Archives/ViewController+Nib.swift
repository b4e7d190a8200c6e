extension ViewController {
    /// Loads the view from the archive that the controller has or, by its class's name, may have; false if there is none.
    func loadArchivedView() -> Bool {
        guard let archive = findNib() else { return false }
        NibLoader(owner: self, archive: archive).load()
        viewCameFromArchive = true
        return true
    }

    private func findNib() -> NibArchive? {
        switch nibSource {
        case .named(let name):
            return nib(named: name)
        case .scene(let scene):
            switch scene.archive.view {
            case .archive(let archive): return archive
            case .nib(let name): return nib(named: name)
            // It has a class of its own, which may have a nib.
            case nil: return inferredNib()
            }
        case .inferred:
            return inferredNib()
        }
    }

    /// Whether there is a nib of the class's name; reads it.
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

    private func nib(named name: String) -> NibArchive? {
        let archive = host.nib(named: name)
        if archive == nil { host.report(.nibNotFound(name), by: self) }
        return archive
    }
}

extension ControllerHost {
    /// A nib; `nil` if there is none, or none that can be read or loaded, which is a fault.
    func nib(named name: String) -> NibArchive? {
        do {
            guard let nib = try archives?.nib(named: name) else { return nil }
            guard let excess = nib.excess else { return nib }
            report(.unreadableArchive(name, problem: excess), by: self)
            return nil
        } catch {
            report(.unreadableArchive(name, problem: "\(error)"), by: self)
            return nil
        }
    }
}
