internal import BenchSupport
internal import CBench
internal import ResourceManager

/// Measures the costs of controllers: push and pop, a warning, and their memory.
struct Controllers {
    private static let crowd = 10_000
    private static let rounds = 50

    func run() {
        pushAndPop()
        warn()
        exist()
    }

    // MARK: Push and pop

    private func pushAndPop() {
        let host = ControllerHost("bench")
        let stack = NavigationController(host: host, viewControllers: [ViewController(host: host)])
        let window = Window(host: host)
        window.rootViewController = stack
        window.makeVisible()
        let kept = ViewController(host: host)
        let byHand = HandMadeStack(ViewController(host: host))
        var samples: [String: Samples] = [:]
        for _ in 0..<Self.rounds {
            samples["by hand", default: Samples()].add(Self.time { byHand.pushAndPop(kept) })
            samples["kept", default: Samples()].add(
                Self.time {
                    stack.push(kept)
                    stack.pop()
                }
            )
            samples["new", default: Samples()].add(
                Self.time {
                    stack.push(ViewController(host: host))
                    stack.pop()
                }
            )
        }
        let baseline = samples["by hand"]?.median ?? .nan
        func row(_ title: String, _ name: String) -> [String] {
            let median = samples[name]?.median ?? .nan
            return [title, median.decimal(0), "\((median / baseline).decimal(1))×"]
        }
        Table.print(
            "Push and pop, ns a pair",
            ["", "ns", "over the callbacks by hand"],
            [
                row("the twelve callbacks and two arrays, by hand", "by hand"),
                row("`NavigationController`, a controller that keeps its view", "kept"),
                row("`NavigationController`, a new controller and its view", "new"),
            ]
        )
        window.hide()
    }

    /// The nanoseconds per call, averaged over many calls.
    private static func time(_ body: () -> Void) -> UInt64 {
        let calls = 1_000
        let start = bench_now()
        for _ in 0..<calls { body() }
        return (bench_now() - start) / UInt64(calls)
    }

    // MARK: A warning

    private func warn() {
        var first = Samples()
        var second = Samples()
        var bare = Samples()
        for _ in 0..<Self.rounds / 5 {
            let host = ControllerHost("bench")
            // Half of the controllers are in a visible window, and the others are loaded but in no window.
            let root = ViewController(host: host)
            let window = Window(host: host)
            window.rootViewController = root
            window.makeVisible()
            var controllers: [ViewController] = []
            for index in 0..<Self.crowd {
                let controller = ViewController(host: host)
                controllers.append(controller)
                controller.loadViewIfNeeded()
                if index % 2 == 0 {
                    root.addChild(controller)
                    root.view.addSubview(controller.view)
                }
            }
            first.add(Self.broadcast(host))
            second.add(Self.broadcast(host))
            window.hide()

            let empty = ControllerHost("bench")
            let never = (0..<Self.crowd).map { _ in ViewController(host: empty) }
            bare.add(Self.broadcast(empty))
            withExtendedLifetime((controllers, never)) {}
        }
        func row(_ title: String, _ samples: Samples) -> [String] {
            [title, (samples.median / 1e6).decimal(2), (samples.median / Double(Self.crowd)).decimal(0)]
        }
        Table.print(
            "A warning to \(Self.crowd) controllers",
            ["", "ms", "ns a controller"],
            [
                row("no view is loaded", bare),
                row("half on window, half unload their views", first),
                row("the same again: half on window, nothing to give", second),
            ]
        )
    }

    private static func broadcast(_ host: ControllerHost) -> UInt64 {
        let start = bench_now()
        host.simulateMemoryWarning()
        return bench_now() - start
    }

    // MARK: Memory

    private func exist() {
        let host = ControllerHost("bench")
        var controllers: [ViewController] = []
        controllers.reserveCapacity(Self.crowd)
        // The array has its capacity already, so that the growth of the program's own list does not count.
        let before = bench_allocated()
        for _ in 0..<Self.crowd { controllers.append(ViewController(host: host)) }
        let bare = bench_allocated() - before
        for controller in controllers { controller.loadViewIfNeeded() }
        let loaded = bench_allocated() - before
        Table.print(
            "Bytes a controller",
            ["", "bytes"],
            [
                ["without a view", "\(bare / UInt64(Self.crowd))"],
                ["with an empty view", "\(loaded / UInt64(Self.crowd))"],
            ]
        )
        withExtendedLifetime((host, controllers)) {}
    }
}

/// The code that a program would write for a stack of two and the callbacks only.
private final class HandMadeStack {
    private var stack: [ViewController]
    private var shown: [View]

    init(_ root: ViewController) {
        stack = [root]
        shown = [root.view]
    }

    @inline(never)
    func pushAndPop(_ controller: ViewController) {
        let root = stack[0]
        controller.willMove(toParent: root)
        stack.append(controller)
        exchange(root, controller)
        controller.didMove(toParent: root)
        controller.willMove(toParent: nil)
        exchange(controller, root)
        stack.removeLast()
        controller.didMove(toParent: nil)
    }

    private func exchange(_ old: ViewController, _ new: ViewController) {
        old.viewWillDisappear()
        new.viewWillAppear()
        shown.append(new.view)
        shown.removeFirst()
        old.viewDidDisappear()
        new.viewDidAppear()
    }
}
