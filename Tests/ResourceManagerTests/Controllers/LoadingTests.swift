import ResourceManager
import Testing

@Suite(.onTwoThreads)
struct LoadingTests {
    let stage = Stage()

    @Test("making a controller makes no view (1.1)")
    func initMakesNoView() {
        var controller: RecordingController?
        let events = stage.events {
            controller = RecordingController("A", host: stage.host, trace: stage.trace)
        }
        #expect(events == ["A.init"])
        #expect(controller?.isViewLoaded == false)
    }

    @Test("reading the view in an initialiser loads it immediately (1.3)")
    func readingInInitLoads() {
        let events = stage.events {
            _ = RecordingController("A", host: stage.host, trace: stage.trace, on: ["init": { _ = $0.view }])
        }
        #expect(events == ["A.init", "A.loadView", "A.viewDidLoad", "A.deinit"])
    }

    @Test("the first read loads, the second does not (2.1, 2.2)")
    func loadsOnce() {
        let a = stage.controller("A")
        #expect(
            stage.events {
                _ = a.view
                _ = a.view
            } == ["A.loadView", "A.viewDidLoad"]
        )
        #expect(a.view === a.view)
    }

    @Test("isViewLoaded and viewIfLoaded never load (2.3)")
    func askingDoesNotLoad() {
        let a = stage.controller("A")
        let events = stage.events {
            #expect(!a.isViewLoaded)
            #expect(a.viewIfLoaded == nil)
        }
        #expect(events.isEmpty)
    }

    @Test("loadViewIfNeeded loads once (2.4)")
    func loadViewIfNeeded() {
        let a = stage.controller("A", loadView: .assigns)
        #expect(
            stage.events {
                a.loadViewIfNeeded()
                a.loadViewIfNeeded()
            } == ["A.loadView", "A.viewDidLoad"]
        )
    }

    @Test("a loadView that assigns nothing is a fault, and each access calls it again (2.8)")
    func assigningNothing() {
        let a = stage.controller("A", loadView: .assignsNothing)
        let load = ["A.loadView", "fault:loadViewDidNotAssignView", "A.viewDidLoad"]
        #expect(
            stage.events {
                _ = a.view
                _ = a.view
            } == load + load
        )
        #expect(!a.isViewLoaded)
    }

    @Test("reading the view in a viewDidLoad without a view is a fault and does not recurse (2.8, 2.9)")
    func readingMissingViewInViewDidLoad() {
        let a = stage.controller("A", loadView: .assignsNothing, on: ["viewDidLoad": { _ = $0.view }])
        #expect(
            stage.events { _ = a.view } == [
                "A.loadView", "fault:loadViewDidNotAssignView", "A.viewDidLoad", "fault:viewAccessedDuringLoad",
            ]
        )
    }

    @Test("reading the view in loadView before it is assigned yields nil and does not recurse (2.9)")
    func readingDuringLoad() {
        let a = stage.controller("A", loadView: .touchesViewFirst)
        #expect(stage.events { _ = a.view } == ["A.loadView", "fault:viewAccessedDuringLoad", "A.viewDidLoad"])
        #expect(a.isViewLoaded)
    }

    @Test("reading the view in viewDidLoad starts no second load (2.10)")
    func readingInViewDidLoad() {
        let a = stage.controller("A", on: ["viewDidLoad": { _ = $0.view }])
        #expect(stage.events { _ = a.view } == ["A.loadView", "A.viewDidLoad"])
    }

    @Test("a view has one owner, and after that owner has released it, it may have another (2.11)")
    func oneOwner() {
        let a = stage.controller("A")
        let b = stage.controller("B")
        let view: View = a.view
        #expect(stage.events { b.view = view } == ["fault:viewAlreadyOwned"])
        #expect(a.viewIfLoaded === view)
        #expect(!b.isViewLoaded)

        a.view = nil
        #expect(stage.events { b.view = view }.isEmpty)
        #expect(b.viewIfLoaded === view)
    }

    @Test("a view outlives its destroyed owner, and may get another owner (2.11)")
    func viewOfDeadOwner() {
        var a: RecordingController? = stage.controller("A")
        let view: View? = a?.view
        a = nil
        let b = stage.controller("B")
        #expect(stage.events { b.view = view }.isEmpty)
        #expect(b.isViewLoaded)
    }

    @Test("setting the view to nil calls nothing, and the next read loads again (2.12, 2.13, 4.20)")
    func settingNil() {
        let a = stage.controller("A")
        _ = a.view
        #expect(
            stage.events {
                a.view = nil
                _ = a.isViewLoaded
                _ = a.view
            } == ["A.loadView", "A.viewDidLoad"]
        )
    }

    @Test("assigning a view calls nothing (2.12)")
    func handingIn() {
        let a = stage.controller("A")
        let view = View()
        let events = stage.events {
            a.view = view
            #expect(a.view === view)
        }
        #expect(events.isEmpty)
        #expect(a.isViewLoaded)
    }

    @Test("setting nil on window takes the view out, without appearance callbacks (2.12)")
    func settingNilOnWindow() {
        let a = stage.controller("A")
        let window = stage.window(showing: a)
        let old: View = a.view
        #expect(stage.events { a.view = nil }.isEmpty)
        #expect(old.superview == nil)
        #expect(window.subviews.isEmpty)
    }

    /// Shows a controller in one of six ways after its view was dropped in service, and expects that it is loaded, unless it
    /// was loaded again since, appears and is on window.
    private func expectAppearance(
        of a: RecordingController,
        next: String,
        isReloaded: Bool = false,
        afterDrop drop: (Window) -> Void
    ) {
        let (root, other) = (stage.controller("R"), stage.controller("O"))
        let stack = NavigationController(host: stage.host, viewControllers: [root])
        let window = stage.window(showing: stack)
        root.addChild(other)
        root.view.addSubview(other.view)
        drop(window)
        let loads = isReloaded ? [] : ["A.loadView", "A.viewDidLoad"]
        let popover = Popover(contentController: a)
        let events = stage.events {
            switch next {
            case "root": window.rootViewController = a
            case "pushed": stack.push(a)
            case "replaced":
                root.addChild(a)
                root.transition(from: other, to: a)
            case "presented": root.present(a)
            case "popover": popover.show(in: window)
            default: window.addSubview(a.view)
            }
        }
        #expect(
            events.filter { $0.hasPrefix("A") && !$0.contains("ove(") }
                == loads + ["A.viewWillAppear", "A.viewDidAppear"]
        )
        #expect(a.viewIfLoaded?.window === window)
    }

    private static let ways = ["root", "pushed", "replaced", "presented", "popover", "subview"]

    @Test(
        "a controller without an owner whose view is dropped in service appears again wherever it is shown next (2.12)",
        arguments: ways
    )
    func droppedWithoutOwner(next: String) {
        let a = stage.controller("A")
        expectAppearance(of: a, next: next) { window in
            window.addSubview(a.view)
            #expect(stage.events { a.view = nil }.isEmpty)
        }
    }

    @Test(
        "a controller whose view was dropped, and whose owner then ended, appears again with its next owner (2.12, 5.41)",
        arguments: ["stack", "tabs", "custom", "popover", "bare container"],
        ways
    )
    func droppedBeforeOwnerEnded(owner: String, next: String) { dropBeforeOwnerEnds(owner, next) }

    @Test(
        "a controller whose view was dropped and read again, and whose owner then ended, appears again (2.12, 5.41)",
        arguments: ["stack", "tabs", "custom", "popover", "bare container"],
        ways.filter { $0 != "subview" }
    )
    func reloadedBeforeOwnerEnded(owner: String, next: String) { dropBeforeOwnerEnds(owner, next, reloads: true) }

    private func dropBeforeOwnerEnds(_ owner: String, _ next: String, reloads: Bool = false) {
        let a = stage.controller("A")
        expectAppearance(of: a, next: next, isReloaded: reloads) { _ in
            let container = stage.controller("P")
            let window = stage.window(showing: stage.controller("B"))
            let popover = Popover(contentController: a)
            switch owner {
            case "stack": window.rootViewController = NavigationController(host: stage.host, viewControllers: [a])
            case "tabs": window.rootViewController = TabController(host: stage.host, viewControllers: [a])
            case "popover": popover.show(in: window)
            default:
                container.addChild(a)
                container.view.addSubview(a.view)
                let isRoot = owner == "custom"
                if isRoot { window.rootViewController = container } else { window.addSubview(container.view) }
            }
            a.view = nil
            if reloads { a.loadViewIfNeeded() }
            withExtendedLifetime((container, window, popover)) {}
        }
    }

    @Test("a controller without an owner that drops its view and its child's as it appears leaves no child in (2.12)")
    func droppedWithChildAsItAppears() {
        let (container, child) = (stage.controller("P"), stage.controller("C"))
        container.addChild(child)
        container.view.addSubview(child.view)
        container.on["viewDidAppear"] = { container in
            child.view = nil
            container.view = nil
        }
        let window = stage.window()
        #expect(
            stage.events { window.addSubview(container.view) } == [
                "P.viewWillAppear", "C.viewWillAppear", "P.viewDidAppear", "C.viewWillDisappear", "C.viewDidDisappear",
            ]
        )
    }

    @Test("a new view takes the old one's place, without appearance callbacks (2.12)")
    func replacing() {
        let a = stage.controller("A")
        let window = stage.window(showing: a)
        let other = View()
        window.addSubview(other)
        let old: View = a.view
        let new = View()
        #expect(stage.events { a.view = new }.isEmpty)
        #expect(window.subviews.map(ObjectIdentifier.init) == [new, other].map(ObjectIdentifier.init))
        #expect(new.window === window)
        #expect(old.superview == nil)
    }

    @Test("a new view may be wrapped round the old one")
    func wrapping() {
        let a = stage.controller("A")
        let old: View = a.view
        let wrapper = View()
        wrapper.addSubview(old)
        a.view = wrapper
        #expect(old.superview === wrapper)
        #expect(wrapper.superview == nil)
        #expect(a.view === wrapper)
    }
}
