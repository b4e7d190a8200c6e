import ResourceManager
import Testing

private final class Home: ViewController {
    var limit = 0
    private(set) var prepared: [String] = []
    private(set) var moves: [String] = []
    var refuses = false

    override init(coder: Coder) {
        super.init(coder: coder)
        limit = coder["limit"] ?? 0
    }

    override func willMove(toParent parent: ViewController?) { note("will", parent) }
    override func didMove(toParent parent: ViewController?) { note("did", parent) }

    private func note(_ move: String, _ parent: ViewController?) {
        moves.append(parent.map { "\(move) \(type(of: $0))" } ?? "\(move) nil")
    }

    /// Called for each segue.
    var asks: (Home) -> Void = { _ in }
    var prepares: (Home) -> Void = { _ in }

    override func shouldPerformSegue(withIdentifier identifier: String) -> Bool {
        asks(self)
        return !refuses
    }

    override func prepare(for segue: Segue) {
        prepared.append(segue.identifier)
        prepares(self)
        segue.destination.title = "from home"
    }
}

private final class Mover: ViewController {
    var moves: () -> Void = {}
    private(set) var joins = 0

    override func willMove(toParent parent: ViewController?) { moves() }
    override func didMove(toParent parent: ViewController?) { if parent != nil { joins += 1 } }
}

private final class Opening: ViewController {
    var opens: (ViewController) -> Void = { _ in }

    override func willMove(toParent parent: ViewController?) { if let parent { opens(parent) } }
}

private final class Delegate: ControllerHostDelegate {
    var launched: ViewController?
    func controllerHost(_ host: ControllerHost, didFinishLaunchingIn window: Window) {
        launched = window.rootViewController
    }
}

@Suite(.onTwoThreads)
struct StoryboardTests {
    let stage = Stage()

    init() {
        stage.host.classes.register(Home.init(coder:))
        stage.host.classes.registerSegue("swap") { segue in
            (segue.source.tabController)?.setViewControllers([segue.destination])
        }
        stage.host.archives = Catalogue(storyboards: [
            "Main": StoryboardArchive(
                initialScene: "root",
                scenes: [
                    "root": SceneArchive(className: "TabController", children: ["stack", "about"]),
                    "stack": SceneArchive(className: "NavigationController", children: ["home"]),
                    "about": SceneArchive(segues: [
                        "gone": SegueArchive(to: "home"), "swap": SegueArchive(to: "home", kind: "swap"),
                    ]),
                    "home": SceneArchive(
                        className: "Home",
                        properties: Properties(["limit": .integer(9), "title": .string("Home")]),
                        variants: [
                            ArchiveVariant(
                                when: EnvironmentCondition(minimumCores: 1),
                                properties: Properties(["limit": .integer(10)])
                            )
                        ],
                        view: .archive(NibArchive(view: ArchivedObject(properties: Properties(["cost": .integer(3)])))),
                        segues: [
                            "detail": SegueArchive(to: "about"),
                            "sheet": SegueArchive(to: "about", kind: "present", style: .overlay),
                            "odd": SegueArchive(to: "about", kind: "odd"),
                            "lost": SegueArchive(to: "nowhere"),
                        ]
                    ),
                    "small": SceneArchive(
                        properties: Properties(["modes": .array([.string("normal")])]),
                        variants: [ArchiveVariant(when: EnvironmentCondition(minimumCores: 1), isAbsent: true)]
                    ),
                    "modest": SceneArchive(
                        properties: Properties(["modes": .array([.string("normal")])]),
                        children: ["small", "about"]
                    ),
                    "broken": SceneArchive(className: "Nothing"),
                ]
            )
        ])
    }

    private func launched() throws -> (Window, Home) {
        let window = try #require(stage.host.launch(storyboard: "Main"))
        let tabs = try #require(window.rootViewController as? TabController)
        let stack = try #require(tabs.viewControllers.first as? NavigationController)
        let home = try #require(stack.topViewController as? Home)
        window.makeVisible()
        return (window, home)
    }

    @Test("a service is wired from one file: the root is in the window before the delegate is called (1.12, 1.14)")
    func launch() throws {
        let delegate = Delegate()
        stage.host.delegate = delegate
        let (window, home) = try launched()
        #expect(delegate.launched === window.rootViewController)
        #expect(home.limit == 10)
        #expect(home.title == "Home")
        #expect(home.view.cost == 3)
        #expect(home.view.window === window)
        #expect(home.storyboard?.name == "Main")
        #expect(home.moves == ["will NavigationController", "did NavigationController"])
    }

    @Test("a storyboard without an initial scene cannot be launched, which is a fault; its scenes can be made (1.12)")
    func noInitialScene() throws {
        stage.host.archives = Catalogue(storyboards: ["Bare": StoryboardArchive(scenes: ["home": SceneArchive()])])
        var window: Window?
        #expect(stage.events { window = stage.host.launch(storyboard: "Bare") } == ["fault:unreadableArchive:Bare"])
        #expect(window == nil)
        let storyboard = try #require(stage.host.storyboard(named: "Bare"))
        var initial: ViewController?
        #expect(stage.events { initial = storyboard.instantiateInitial() } == [])
        #expect(initial == nil)
        #expect(storyboard.instantiate(withIdentifier: "home") != nil)
    }

    @Test(
        "a container that the willMove of its archived child brings into service shows the child (1.14, 3.24)",
        arguments: ["NavigationController", "TabController"]
    )
    func shownByItsChild(className: String) throws {
        let window = Window(host: stage.host)
        stage.host.classes.register { coder -> Opening in
            let opening = Opening(coder: coder)
            opening.opens = { container in
                window.rootViewController = container
                window.makeVisible()
            }
            return opening
        }
        let scenes = [
            "container": SceneArchive(className: className, children: ["child", "about"]),
            "child": SceneArchive(className: "Opening"), "about": SceneArchive(),
        ]
        stage.host.archives = Catalogue(storyboards: ["Main": StoryboardArchive(scenes: scenes)])
        let storyboard = try #require(stage.host.storyboard(named: "Main"))
        var made: ViewController?
        #expect(stage.events { made = storyboard.instantiate(withIdentifier: "container") } == [])
        let container = try #require(made)
        #expect(container.children.count == 2)
        #expect(container.view.window === window)
        let shown = try #require(container.childForAppearance)
        #expect(shown.viewIfLoaded?.window === window && container.view.subviews.count == 1)
    }

    @Test("a missing scene or storyboard is a fault and yields nothing (1.13)")
    func unknown() {
        let storyboard = stage.host.storyboard(named: "Main")
        #expect(
            stage.events {
                _ = storyboard?.instantiate(withIdentifier: "nowhere")
                _ = storyboard?.instantiate(withIdentifier: "broken")
                _ = stage.host.storyboard(named: "Other")
                _ = stage.host.launch(storyboard: "Other")
            } == [
                "fault:unknownIdentifier:nowhere", "fault:unknownClass:Nothing", "fault:storyboardNotFound:Other",
                "fault:storyboardNotFound:Other",
            ]
        )
        stage.host.archives = Catalogue(unreadable: ["Main"])
        #expect(stage.events { _ = stage.host.storyboard(named: "Main") } == ["fault:unreadableArchive:Main"])
    }

    @Test("a stack that is busy with another child does not take an archived one (3.22)")
    func busy() throws {
        let storyboard = try #require(stage.host.storyboard(named: "Main"))
        let stack = NavigationController(host: stage.host)
        // The scene's controller is one that exists.
        stage.host.classes.register(as: "NavigationController") { _ in stack }
        let first = Mover(host: stage.host)
        first.moves = { _ = storyboard.instantiate(withIdentifier: "stack") }
        #expect(stage.events { stack.push(first) }.filter { $0.hasPrefix("fault") } == ["fault:transitionInProgress"])
        #expect(stack.viewControllers.map(ObjectIdentifier.init) == [ObjectIdentifier(first)])
    }

    @Test(
        "a child that a container of an archive does not get is not told of it, and is a fault (1.14, 3.24, 5.42)",
        arguments: ["ViewController", "NavigationController", "TabController"],
        [false, true]
    )
    func taken(container: String, isRoot: Bool) throws {
        let other = ViewController(host: stage.host)
        let window = Window(host: stage.host)
        let child = Mover(host: stage.host)
        child.moves = { [unowned child] in
            child.moves = {}
            other.addChild(child)
        }
        if isRoot { window.rootViewController = child }
        stage.host.classes.register(as: "Mover") { _ in child }
        let scenes = [
            "root": SceneArchive(className: container, children: ["child"]), "child": SceneArchive(className: "Mover"),
        ]
        stage.host.archives = Catalogue(storyboards: ["Taken": StoryboardArchive(scenes: scenes)])
        let storyboard = try #require(stage.host.storyboard(named: "Taken"))
        var root: ViewController?
        let events = stage.events { root = storyboard.instantiate(withIdentifier: "root") }
        #expect(events == ["fault:hierarchyInconsistency"])
        #expect(root?.children.isEmpty == true)
        #expect(child.parent === (isRoot ? nil : other))
        #expect(child.joins == 0)
    }

    @Test("a scene that is absent in an environment is left out of its container, and cannot be instantiated (row 17)")
    func absent() throws {
        let storyboard = try #require(stage.host.storyboard(named: "Main"))
        let modest = try #require(storyboard.instantiate(withIdentifier: "modest"))
        #expect(modest.children.count == 1)
        #expect(
            stage.events { _ = storyboard.instantiate(withIdentifier: "small") } == ["fault:unknownIdentifier:small"]
        )
        #expect(modest.supportedModes == [.normal])
    }

    @Test("a push segue prepares, then pushes (1.15)")
    func push() throws {
        let (window, home) = try launched()
        home.performSegue(withIdentifier: "detail")
        #expect(home.prepared == ["detail"])
        #expect(home.navigationController?.topViewController?.title == "from home")
        #expect(home.view.window == nil)
        #expect(window.isVisible)
    }

    @Test("a present segue has its style, and a refusal ends the segue of an event before anything is made (1.15)")
    func presentAndRefuse() throws {
        let (window, home) = try launched()
        home.refuses = true
        #expect(!home.triggerSegue(withIdentifier: "sheet"))
        #expect(home.presentedViewController == nil)
        home.refuses = false
        #expect(home.triggerSegue(withIdentifier: "sheet"))
        #expect(home.presentedViewController?.title == "from home")
        #expect(home.view.window === window)
    }

    @Test("a segue that performs or triggers itself endlessly is stopped (3.25)", arguments: [false, true])
    func endless(isAsking: Bool) throws {
        let (window, home) = try launched()
        var calls = 0
        home.asks = { home in
            calls += 1
            if isAsking { home.triggerSegue(withIdentifier: "sheet") }
        }
        home.prepares = { home in
            calls += 1
            if !isAsking { home.performSegue(withIdentifier: "sheet") }
        }
        home.triggerSegue(withIdentifier: "sheet")
        #expect((1...40).contains(calls))
        #expect(home.presentedViewController != nil)
        #expect(window.isVisible)
    }

    @Test("a segue's destination has the variants for the environment that it starts in (row 17)")
    func variantsOfDestination() throws {
        let (window, home) = try launched()
        let about = try #require(home.tabController?.viewControllers[1])
        var drained = window.environment
        drained.cores = 0
        window.changeEnvironment(to: drained)
        about.performSegue(withIdentifier: "swap")
        #expect(
            (window.rootViewController as? TabController)?.viewControllers.compactMap { ($0 as? Home)?.limit } == [9]
        )
    }

    @Test("performing a segue returns whether the destination was shown")
    func outcome() throws {
        let (window, home) = try launched()
        #expect(home.performSegue(withIdentifier: "sheet"))
        #expect(!home.performSegue(withIdentifier: "sheet"))
        #expect(home.view.send(Command("segue:sheet")) == .failed("the segue was refused"))
        home.dismiss()
        #expect(home.performSegue(withIdentifier: "detail"))
        #expect(!home.performSegue(withIdentifier: "sheet"))
        #expect(window.isVisible)
    }

    @Test("a command or an event may trigger a segue by its name (row 12)")
    func command() throws {
        let (window, home) = try launched()
        #expect(home.view.send(Command("segue:sheet")) == .done(""))
        #expect(home.presentedViewController != nil)
        home.dismiss()
        home.refuses = true
        #expect(home.perform(Command("segue:sheet")) == .failed("the segue was refused"))
        #expect(home.perform(Command("segue:unknown")) == .unhandled)
        #expect(window.isVisible)
    }

    @Test("a kind of segue may be registered")
    func custom() throws {
        let (window, home) = try launched()
        let tabs = try #require(home.tabController)
        tabs.viewControllers[1].performSegue(withIdentifier: "swap")
        #expect(tabs.viewControllers.count == 1)
        #expect(tabs.selectedViewController is Home)
        #expect(window.isVisible)
    }

    @Test("a segue that cannot be performed is a fault, and nothing is prepared")
    func refused() throws {
        let (window, home) = try launched()
        let about = try #require(home.tabController?.viewControllers[1])
        #expect(
            stage.events {
                home.performSegue(withIdentifier: "nothing")
                home.performSegue(withIdentifier: "odd")
                home.performSegue(withIdentifier: "lost")
                about.performSegue(withIdentifier: "gone")
            } == [
                "fault:unknownSegue:nothing", "fault:unknownSegueKind:odd", "fault:unknownIdentifier:nowhere",
                "fault:noNavigationController",
            ]
        )
        #expect(home.prepared.isEmpty)
        #expect(window.isVisible)
    }
}
