import ResourceManager

/// A storyboard for segues, whose only scene leads to itself.
extension Walk {
    func register() {
        host.archives = Scenes()
        host.classes.register(as: "Walked") { [unowned self] coder in
            adopt(WalkedController(self, coder: coder), .plain)
        }
    }

    func makeScene() -> ViewController? { host.storyboard(named: "Main")?.instantiateInitial() }
}

private struct Scenes: ArchiveSource {
    func nib(named name: String) -> NibArchive? { nil }

    func storyboard(named name: String) -> StoryboardArchive? {
        let segues = [
            "push": SegueArchive(to: "scene"), "present": SegueArchive(to: "scene", kind: "present", style: .overlay),
        ]
        return StoryboardArchive(
            initialScene: "scene",
            scenes: ["scene": SceneArchive(className: "Walked", segues: segues)]
        )
    }
}
