import ResourceManager

extension Runner {
    /// From now on, nibs and storyboards are those of the bundle.
    func open(_ bundle: ArchiveBundle) {
        self.bundle = bundle
        host.archives = bundle
        // The classes are only used while an operation runs, and operations are run by the runner.
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

    /// Does something that makes at most one controller and, with it, its children; it will be called `name`.
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

    /// The name of the controller that is being made of a scene; its children come next.
    private func takeName(of id: String, _ scene: ArchiveBundle.Scene) -> String {
        // Those that could not be made are skipped.
        guard let index = upcoming.firstIndex(where: { $0.scene == nil || $0.scene == id }) else {
            note(CaseProblem("a controller of scene \(id) was made that has no name"))
            return "?"
        }
        let name = upcoming[index].name
        upcoming.replaceSubrange(...index, with: scene.children)
        return name
    }
}
