import ResourceManager
import Testing

private final class Index: ViewController {
    private(set) var initialisers: [String] = []
    private(set) var awakened = 0

    override init(host: ControllerHost) {
        super.init(host: host)
        setUp("host")
    }

    override init(nibName: String, host: ControllerHost) {
        super.init(nibName: nibName, host: host)
        setUp("nib")
    }

    override init(coder: Coder) {
        super.init(coder: coder)
        setUp("coder")
    }

    override func awakeFromNib() { awakened += 1 }

    private func setUp(_ initialiser: String) { initialisers.append(initialiser) }
}

@Suite(.onTwoThreads)
struct InitialisationTests {
    let stage = Stage()

    @Test("each of the three ways to create a controller has one initialiser; only one awakens it (1.2, 1.4, 1.10)")
    func threeWays() throws {
        stage.host.classes.register(Index.init(coder:))
        stage.host.archives = Catalogue(
            nibs: ["Panel": NibArchive()],
            storyboards: [
                "Main": StoryboardArchive(initialScene: "index", scenes: ["index": SceneArchive(className: "Index")])
            ]
        )
        let inCode = Index(host: stage.host)
        let byNib = Index(nibName: "Panel", host: stage.host)
        let byStoryboard = try #require(stage.host.storyboard(named: "Main")?.instantiateInitial() as? Index)
        for controller in [inCode, byNib, byStoryboard] {
            #expect(!controller.isViewLoaded)
            controller.loadViewIfNeeded()
        }
        #expect([inCode, byNib, byStoryboard].map(\.initialisers) == [["host"], ["nib"], ["coder"]])
        #expect([inCode, byNib, byStoryboard].map(\.awakened) == [0, 0, 1])
        #expect(stage.trace.take().isEmpty)
    }

    @Test("the initialiser creates only the controller: no view, no list, no thread (1.1, 1.19)")
    func nothingElse() {
        let controller = ViewController(host: stage.host)
        #expect(controller.viewIfLoaded == nil)
        #expect(controller.children.isEmpty)
        #expect(controller.presentedViewController == nil)
        #expect(stage.host.releasableBytes == 0)
    }

    @Test("the base loadView takes the scene's view, otherwise the nib's, otherwise an empty one (2.6)")
    func orderOfPreference() throws {
        func nib(_ cost: Int) -> NibArchive {
            NibArchive(view: ArchivedObject(properties: Properties(["cost": .integer(cost)])))
        }
        stage.host.classes.register(Index.init(coder:))
        stage.host.archives = Catalogue(
            nibs: ["Index": nib(1), "Panel": nib(2)],
            storyboards: [
                "Main": StoryboardArchive(scenes: [
                    "own": SceneArchive(className: "Index", view: .archive(nib(3))),
                    "nib": SceneArchive(className: "Index", view: .nib("Panel")),
                    "none": SceneArchive(className: "Index"),
                ])
            ]
        )
        let storyboard = try #require(stage.host.storyboard(named: "Main"))
        let costs = ["own", "nib", "none"].map { storyboard.instantiate(withIdentifier: $0)?.view.cost }
        #expect(costs == [3, 2, 1])
        #expect(Index(nibName: "Panel", host: stage.host).view.cost == 2)
        #expect(ViewController(host: stage.host).view.cost == 0)
    }

    @Test("a direct call of loadView runs that method only, without viewDidLoad (2.5)")
    func byHand() {
        let a = stage.controller("A")
        #expect(stage.events { a.loadView() } == ["A.loadView"])
        #expect(a.isViewLoaded)
        #expect(stage.events { _ = a.view }.isEmpty)
    }
}
