import ResourceManager

extension Runner {
    /// Makes the host use the nibs and storyboards of the bundle from now on.
    func open(_ bundle: ArchiveBundle) {
        self.bundle = bundle
        host.archives = bundle
        // The host uses the classes only while an operation runs, and the runner runs the operations.
        host.classes.register(as: TracedView.archiveName) { _ in TracedView() }
        host.classes.register(as: TracedObject.archiveName) { [unowned self] coder in
            TracedObject(coder["name"] ?? "", of: owners.last)
        }
        for (storyboard, contents) in bundle.storyboards {
            for (id, scene) in contents.scenes {
                let className = ArchiveBundle.className(of: id, in: storyboard)
                host.classes.register(as: className) { [unowned self] coder in
                    TracedController(takeName(of: id, scene), scene.options, self, coder: coder)
                }
            }
        }
    }

    /// Runs `body`, which makes at most one controller and, with it, its children.
    ///
    /// The controller gets the name `name`.
    func naming(_ name: String, _ body: () -> Void) {
        let outer = upcoming
        upcoming = [ArchiveBundle.NamedScene(scene: nil, name: name)]
        body()
        upcoming = outer
    }

    func instantiateInitial(of storyboard: String, as name: String) {
        naming(name) { _ = host.storyboard(named: storyboard)?.instantiateInitial() }
        if let archive = bundle?.storyboards[storyboard]?.archive, archive.initialScene == nil {
            log.record(Event("", "result", text: "result:nil"))
        }
    }

    /// Takes the name of the controller that is being made from a scene.
    ///
    /// The names of its children follow.
    private func takeName(of id: String, _ scene: ArchiveBundle.Scene) -> String {
        // Skips the controllers that could not be made.
        guard let index = upcoming.firstIndex(where: { $0.scene == nil || $0.scene == id }) else {
            note(CaseProblem("a controller of scene \(id) was made that has no name"))
            return "?"
        }
        let name = upcoming[index].name
        upcoming.replaceSubrange(...index, with: scene.children)
        return name
    }
}
