import ResourceManager
import Testing

private final class Terms: View {
    var words = 0
    weak var panel: Panel?
    private(set) var awakened = 0

    override class var outlets: Outlets { super.outlets.adding("panel", \Terms.panel) }

    override init(coder: Coder) {
        super.init(coder: coder)
        words = coder["words"] ?? 0
    }

    override func awakeFromNib() { awakened += 1 }
}

private final class Panel: View {}

private final class Clock: Responder {
    var last: Last?
}

private final class SearchController: ViewController {
    weak var terms: Terms?
    weak var clock: Clock?
    private(set) var pressed = 0

    override class var outlets: Outlets {
        super.outlets.adding("terms", \SearchController.terms).adding("clock", \SearchController.clock)
    }

    override class var actions: Actions { super.actions.adding("press", SearchController.press) }

    private func press(_ command: Command) { pressed += 1 }
}

/// Calls a closure when it ends.
private final class Last {
    private let end: () -> Void
    init(_ end: @escaping () -> Void) { self.end = end }
    deinit { end() }
}

/// Calls a closure when its strong outlet is set to `nil`.
private final class EagerController: ViewController {
    weak var terms: Terms?
    weak var clock: Clock?
    var panel: Panel? { didSet { if panel == nil, oldValue != nil { loses() } } }
    var loses: () -> Void = {}

    override class var outlets: Outlets {
        super.outlets.adding("terms", \EagerController.terms).adding("clock", \EagerController.clock)
            .adding("panel", \EagerController.panel)
    }
}

/// Calls a closure when one of its strong outlets changes.
private final class ObservingController: ViewController {
    var first: View? {
        didSet {
            if assignsFirst { view = first }
            changes(first)
        }
    }
    var second: View? { didSet { changes(second) } }
    weak var clock: Clock?
    var assignsFirst = false
    var changes: (View?) -> Void = { _ in }

    override class var outlets: Outlets {
        super.outlets.adding("first", \ObservingController.first).adding("second", \ObservingController.second)
            .adding("clock", \ObservingController.clock)
    }
}

@Suite(.onTwoThreads)
struct NibTests {
    let stage = Stage()

    private static let nib = NibArchive(
        view: ArchivedObject(
            properties: Properties(["cost": .integer(7)]),
            subviews: [
                ArchivedObject(
                    id: "terms",
                    className: "Terms",
                    properties: Properties(["words": .integer(100)]),
                    variants: [
                        ArchiveVariant(
                            when: EnvironmentCondition(memoryClass: .small),
                            properties: Properties(["words": .integer(10)])
                        )
                    ]
                ),
                ArchivedObject(
                    id: "panel",
                    className: "Panel",
                    variants: [ArchiveVariant(when: EnvironmentCondition(memoryClass: .small), isAbsent: true)]
                ),
            ]
        ),
        objects: [ArchivedObject(id: "clock", className: "Clock")],
        outlets: [
            ArchivedOutlet(name: "terms"), ArchivedOutlet(name: "clock"),
            ArchivedOutlet(name: "panel", source: "terms"),
        ],
        actions: [
            ArchivedAction(name: "press", source: "panel", event: "tap"),
            ArchivedAction(name: "press", source: "terms", event: "tap", target: .chain),
        ]
    )

    private func use(_ nibs: [String: NibArchive], unreadable: Set<String> = []) {
        stage.host.archives = Catalogue(nibs: nibs, unreadable: unreadable)
        stage.host.classes.register(Terms.init(coder:))
        stage.host.classes.register(Panel.init(coder:))
        stage.host.classes.register { _ in Clock() }
    }

    @Test("a controller with a named nib never reads the nib of its class's name, not even for an assigned view (1.6)")
    func named() {
        use(["Other": Self.nib], unreadable: ["Search", "SearchController"])
        let controller = SearchController(nibName: "Other", host: stage.host)
        #expect(stage.events { controller.view = View() }.filter { $0.hasPrefix("fault") } == [])
        #expect(controller.canLoadViewAgain)
        #expect(
            stage.events { SearchController(host: stage.host).view = View() }.contains("fault:unreadableArchive:Search")
        )
    }

    @Test("a nib makes the view, its parts with their properties, and sets typed outlets (1.9, row 11)")
    func load() throws {
        use(["Search": Self.nib])
        let search = SearchController(nibName: "Search", host: stage.host)
        #expect(search.terms == nil)
        let view: View = search.view
        #expect(view.cost == 7)
        #expect(search.terms?.words == 100)
        #expect(search.terms?.superview === view)
        #expect(search.terms?.awakened == 1)
        #expect(search.clock != nil)
        #expect(search.terms?.panel === view.subviews[1])
    }

    @Test("actions reach the owner, directly or up the responder chain (row 12)")
    func actions() {
        use(["Search": Self.nib])
        let search = SearchController(nibName: "Search", host: stage.host)
        search.loadViewIfNeeded()
        #expect(search.terms?.panel?.sendActions(for: "tap") == [.done("")])
        #expect(search.terms?.sendActions(for: "tap") == [.done("")])
        #expect(search.pressed == 2)
    }

    @Test("outlets and further objects of the nib are dropped with the view, and set again by the next load (1.17)")
    func outletsGo() {
        use(["Search": Self.nib])
        let search = SearchController(nibName: "Search", host: stage.host)
        search.loadViewIfNeeded()
        weak let terms = search.terms
        stage.host.simulateMemoryWarning()
        #expect(!search.isViewLoaded)
        #expect(terms == nil)
        #expect(search.clock == nil)
        search.loadViewIfNeeded()
        #expect(search.terms?.awakened == 1)
        #expect(search.clock != nil)
    }

    @Test(
        "another view in the place of a nib's ends the outlets and further objects, unless it contains that one (1.17)",
        arguments: [false, true]
    )
    func replaced(isContained: Bool) throws {
        use(["Search": Self.nib])
        let search = SearchController(nibName: "Search", host: stage.host)
        let old: View = try #require(search.view)
        let new = View()
        if isContained { new.addSubview(old) }
        search.view = new
        #expect((search.terms != nil) == isContained)
        #expect((search.clock != nil) == isContained)
        search.view = nil
        #expect(search.terms == nil)
        #expect(search.clock == nil)
        withExtendedLifetime(old) {}
    }

    @Test(
        "an outlet that assigns the nib's view itself ends with it, and does not drop the next view (1.17)",
        arguments: [false, true]
    )
    func viewAssignedByOutlet(isReplaced: Bool) {
        use([
            "Observing": NibArchive(
                view: ArchivedObject(id: "root", subviews: [ArchivedObject(id: "a")]),
                objects: [ArchivedObject(id: "clock", className: "Clock")],
                outlets: [
                    ArchivedOutlet(name: "first", destination: "root"),
                    ArchivedOutlet(name: "second", destination: "a"),
                    ArchivedOutlet(name: "clock"),
                ]
            )
        ])
        let controller = ObservingController(nibName: "Observing", host: stage.host)
        controller.assignsFirst = true
        controller.loadViewIfNeeded()
        #expect(controller.clock != nil)
        weak let root = controller.viewIfLoaded
        let new = View()
        controller.view = isReplaced ? new : nil
        #expect(controller.first == nil && controller.second == nil && controller.clock == nil && root == nil)
        #expect(controller.viewIfLoaded === (isReplaced ? new : nil))
        controller.view = nil
        #expect(!controller.isViewLoaded)
    }

    @Test("an outlet that assigns the view does not drop the next one, whatever the nib connects (1.17)")
    func clearedViewOutlet() {
        use([
            "Observing": NibArchive(
                view: ArchivedObject(id: "root", subviews: [ArchivedObject(id: "a")]),
                outlets: [ArchivedOutlet(name: "second", destination: "a")]
            )
        ])
        let controller = ObservingController(nibName: "Observing", host: stage.host)
        let window = stage.window(showing: controller)
        controller.assignsFirst = true
        let new = View()
        controller.view = new
        #expect(controller.viewIfLoaded === new && new.window === window && controller.second == nil)
    }

    @Test("a nib's view that is put into a frame and taken out of it again keeps its outlets and objects (1.17)")
    func framed() throws {
        use(["Search": Self.nib])
        let search = SearchController(nibName: "Search", host: stage.host)
        let view: View = try #require(search.view)
        for _ in 0..<2 {
            let frame = View()
            frame.addSubview(view)
            search.view = frame
            #expect(search.terms != nil && search.clock != nil)
        }
        search.view = view
        #expect(search.terms != nil && search.clock != nil && view.superview == nil)
        search.view = View()
        #expect(search.terms == nil && search.clock == nil)
        withExtendedLifetime(view) {}
    }

    @Test("a nib whose view is refused leaves no outlets behind (1.17)")
    func refusedRoot() {
        use([
            "Observing": NibArchive(
                view: ArchivedObject(id: "root"),
                outlets: [ArchivedOutlet(name: "first", destination: "root")]
            )
        ])
        let controller = ObservingController(nibName: "Observing", host: stage.host)
        let other = ViewController(host: stage.host)
        controller.changes = { view in if let view { other.view = view } }
        #expect(
            stage.events { controller.loadViewIfNeeded() } == [
                "fault:viewAlreadyOwned", "fault:loadViewDidNotAssignView",
            ]
        )
        #expect(controller.first == nil && other.isViewLoaded)
    }

    @Test("all outlets of a nib end with its view, also if an observer assigns another view meanwhile (1.17)")
    func viewAssignedAsOutletsEnd() {
        use([
            "Observing": NibArchive(
                view: ArchivedObject(subviews: [ArchivedObject(id: "a"), ArchivedObject(id: "b")]),
                outlets: [
                    ArchivedOutlet(name: "first", destination: "a"), ArchivedOutlet(name: "second", destination: "b"),
                ]
            )
        ])
        let controller = ObservingController(nibName: "Observing", host: stage.host)
        controller.loadViewIfNeeded()
        controller.changes = { [unowned controller] view in
            if view == nil, !controller.isViewLoaded { controller.view = View() }
        }
        stage.host.simulateMemoryWarning()
        #expect(controller.first == nil && controller.second == nil && controller.isViewLoaded)
    }

    @Test("a loadView() that makes the nib's view twice has the outlets and objects of the second one (1.17, 2.5)")
    func loadedTwice() throws {
        use(["Search": Self.nib])
        let search = SearchController(nibName: "Search", host: stage.host)
        let old: View = try #require(search.view)
        search.loadView()
        #expect(search.view !== old)
        #expect(search.terms?.superview === search.view)
        #expect(search.clock != nil)
        search.view = nil
        #expect(search.clock == nil)
    }

    @Test(
        "a view that the end of the last one's work, outlets or objects loads is complete (1.9, 1.11, 1.17)",
        arguments: ["work", "outlet", "object"],
        [false, true]
    )
    func loadedMeanwhile(by end: String, isReplaced: Bool) throws {
        var nib = Self.nib
        nib.outlets.append(ArchivedOutlet(name: "panel"))
        use(["Eager": nib])
        let eager = EagerController(nibName: "Eager", host: stage.host)
        let replacement = View()
        var ends = 0
        let loadsAgain = { [unowned eager] in
            ends += 1
            guard ends == 1 else { return }
            eager.view = nil
            eager.loadViewIfNeeded()
        }
        if end == "object" {
            stage.host.classes.register { _ -> Clock in
                let clock = Clock()
                clock.last = Last(loadsAgain)
                return clock
            }
        }
        let old: View = try #require(eager.view)
        if end == "outlet" { eager.loses = loadsAgain }
        if end == "work" {
            let last = Last(loadsAgain)
            eager.load({ try await Task.sleep(for: .seconds(100)) }, then: { _ in withExtendedLifetime(last) {} })
        }
        eager.view = isReplaced ? replacement : nil
        #expect(ends > 0)
        let view = try #require(eager.viewIfLoaded)
        // While the outlets are cleared, the view that has replaced the last one cannot be dropped.
        if end == "outlet", isReplaced {
            #expect(view === replacement && eager.terms == nil && eager.panel == nil && eager.clock == nil)
            return
        }
        #expect(view !== old && view !== replacement)
        #expect(eager.terms?.superview === view)
        #expect(eager.panel?.superview === view)
        #expect(eager.clock != nil)
        eager.view = nil
        #expect(eager.terms == nil && eager.panel == nil && eager.clock == nil)
    }

    @Test("a variant applies if its condition holds; absent objects are not connected either (row 17)")
    func variants() {
        use(["Search": Self.nib])
        let search = SearchController(nibName: "Search", host: stage.host)
        let window = Window(host: stage.host)
        window.rootViewController = search
        window.changeEnvironment(to: Environment(memoryLimit: 1 << 20, cores: 1))
        search.loadViewIfNeeded()
        #expect(search.terms?.words == 10)
        #expect(search.view.subviews.count == 1)
        #expect(search.terms?.panel == nil)
        #expect(stage.trace.take().isEmpty)
    }

    @Test("each unknown name is a fault, and everything else is made nevertheless")
    func unknown() {
        use([
            "Search": NibArchive(
                view: ArchivedObject(subviews: [
                    ArchivedObject(id: "a", className: "Nothing", subviews: [ArchivedObject(id: "b")]),
                    ArchivedObject(id: "panel", className: "Panel"),
                    ArchivedObject(id: "clock", className: "Clock"),
                ]),
                outlets: [
                    ArchivedOutlet(name: "a"), ArchivedOutlet(name: "terms", destination: "panel"),
                    ArchivedOutlet(name: "absent", destination: "panel"), ArchivedOutlet(name: "x", destination: "y"),
                ],
                actions: [ArchivedAction(name: "unheard")]
            )
        ])
        let search = SearchController(nibName: "Search", host: stage.host)
        #expect(
            stage.events { search.loadViewIfNeeded() } == [
                "fault:unknownClass:Nothing", "fault:wrongClass:Clock", "fault:unknownOutlet:terms",
                "fault:unknownOutlet:absent", "fault:unknownOutlet:x", "fault:unknownAction:unheard",
            ]
        )
        #expect(search.view.subviews.count == 1)
    }

    @Test("an object that is not a view, but stands in a view's place, is released with its connections and contents")
    func wrongClass() {
        final class Stray: Responder {
            nonisolated(unsafe) static var wasAwakened = false
            init(coder: Coder) {}
            override func awakeFromNib() { Self.wasAwakened = true }
        }
        stage.host.classes.register(Stray.init(coder:))
        use([
            "Search": NibArchive(
                view: ArchivedObject(subviews: [
                    ArchivedObject(id: "stray", className: "Stray", subviews: [ArchivedObject(id: "inside")])
                ]),
                outlets: [ArchivedOutlet(name: "stray"), ArchivedOutlet(name: "inside")],
                actions: [
                    ArchivedAction(name: "go", source: "inside"), ArchivedAction(name: "go", target: .object("stray")),
                ]
            )
        ])
        let search = SearchController(nibName: "Search", host: stage.host)
        #expect(stage.events { search.loadViewIfNeeded() } == ["fault:wrongClass:Stray"])
        #expect(search.view.subviews.isEmpty)
        #expect(!Stray.wasAwakened)
    }

    @Test("a nib that cannot be read, or exceeds a limit, is one fault, and the view is an empty one (1.5, 1.20)")
    func unreadable() {
        let deep = (1...256).reduce(ArchivedObject()) { view, _ in ArchivedObject(subviews: [view]) }
        use(["Deep": NibArchive(view: deep)], unreadable: ["Search"])
        for name in ["Search", "Deep"] {
            let search = SearchController(nibName: name, host: stage.host)
            #expect(stage.events { search.loadViewIfNeeded() } == ["fault:unreadableArchive:\(name)"])
            #expect(search.viewIfLoaded?.subviews.isEmpty == true)
        }
    }

    @Test("the class name leads to a nib, tried first without Controller, and a missing nib is no fault (1.6, 1.7)")
    func inferred() {
        use(["Search": Self.nib, "SearchController": NibArchive()])
        #expect(SearchController(host: stage.host).view.cost == 7)
        use(["SearchController": Self.nib])
        #expect(SearchController(host: stage.host).view.cost == 7)
        use([:])
        #expect(SearchController(host: stage.host).view.subviews.isEmpty)
        #expect(stage.trace.take().isEmpty)
    }

    @Test("a view that was assigned to a controller with a nib can be unloaded: the nib makes it again (4.8)")
    func handedIn() {
        use(["Search": Self.nib])
        let search = SearchController(nibName: "Search", host: stage.host)
        search.view = View()
        stage.host.simulateMemoryWarning()
        #expect(!search.isViewLoaded)
        #expect(search.view.cost == 7)
    }

    @Test("a class that returns a view that is not new is refused, and changes no other view (1.20, 5.42)")
    func notNew() throws {
        let other = stage.controller("O")
        let window = stage.window(showing: other)
        let shared = View()
        let made = [shared, try #require(other.view), window]
        for (name, view) in zip(["Shared", "Other", "Window"], made) {
            stage.host.classes.register(as: name) { _ in view }
        }
        let subviews = [
            ArchivedObject(className: "Shared", subviews: [ArchivedObject(className: "Shared")]),
            ArchivedObject(className: "Other"), ArchivedObject(className: "Window"), ArchivedObject(),
        ]
        stage.host.archives = Catalogue(nibs: ["X": NibArchive(view: ArchivedObject(subviews: subviews))])
        let controller = ViewController(nibName: "X", host: stage.host)
        let events = stage.events { controller.loadViewIfNeeded() }
        #expect(events == Array(repeating: "fault:hierarchyInconsistency", count: 3))
        #expect(controller.viewIfLoaded?.subviews.count == 2 && controller.viewIfLoaded?.subviews.first === shared)
        #expect(other.view.superview === window && shared.subviews.isEmpty)
    }

    @Test(
        "a root that is not new is refused before anything is put into it (1.20, 2.11, 5.42)",
        arguments: [
            ("Other", "viewAlreadyOwned"), ("Inside", "hierarchyInconsistency"), ("Window", "hierarchyInconsistency"),
        ]
    )
    func rootNotNew(name: String, fault: String) throws {
        let other = stage.controller("O")
        let window = stage.window(showing: other)
        let inside = View()
        other.view.addSubview(inside)
        let made = ["Other": try #require(other.view), "Inside": inside, "Window": window]
        for (name, view) in made { stage.host.classes.register(as: name) { _ in view } }
        let nib = NibArchive(view: ArchivedObject(className: name, subviews: [ArchivedObject()]))
        stage.host.archives = Catalogue(nibs: ["X": nib])
        let controller = ViewController(nibName: "X", host: stage.host)
        let events = stage.events { controller.loadViewIfNeeded() }
        #expect(events == ["fault:\(fault)", "fault:loadViewDidNotAssignView"])
        #expect(!controller.isViewLoaded)
        #expect(window.subviews.count == 1 && other.view.subviews.count == 1 && inside.subviews.isEmpty)
    }
}
