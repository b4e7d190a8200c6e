import TestSupport
import Testing

@testable import ResourceManager

@Suite(.onTwoThreads)
struct RandomWorkingSetTests {
    /// Fewer seeds under the thread sanitizer, where everything takes ten times as long.
    private static let seeds: Range<UInt64> = 0..<(isUnderThreadSanitizer ? 10 : 200)

    @Test("whatever children's callbacks do, the children in service are on window, and within the limit (5.43)")
    func invariants() {
        for seed in Self.seeds {
            let tenants = RandomTenants(seed: seed)
            for step in 0..<60 {
                tenants.step()
                let violations = tenants.violations()
                guard violations.isEmpty else {
                    let log = tenants.log.suffix(40).joined(separator: "\n")
                    Issue.record("seed \(seed), step \(step): \(violations)\n\(log)")
                    return
                }
            }
        }
    }
}

/// A working set on which random operations run, many of them in callbacks of its children.
private final class RandomTenants {
    private let host: ControllerHost
    private let set: WorkingSetController<Int, RecordingController>
    private let other: ViewController
    private let window: Window
    private let trace = Trace()
    private var generator: SeededGenerator
    private var made: [RecordingController] = []
    private var depth = 0
    /// The operations so far, which help to understand a violation.
    private(set) var log: [String] = []

    private static let callbacks = [
        "loadView", "viewDidLoad", "viewWillAppear", "viewDidAppear", "viewWillDisappear", "viewDidDisappear",
        "willMove", "didMove", "viewWillUnload", "viewDidUnload", "didReceiveMemoryWarning",
    ]
    private static let idleTime = Duration.seconds(3)

    init(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let host = Reclaimer().use { ControllerHost("random", options: .init(policy: .unload)) }
        let start = ContinuousClock.now
        let uses = Counter()
        self.host = host
        set = WorkingSetController(
            host: host,
            limit: Int.random(in: 1...3, using: &generator),
            idleTime: Bool.random(using: &generator) ? Self.idleTime : nil
        ) {
            uses.count += 1
            return start + .seconds(uses.count / 3)
        }
        other = ViewController(host: host)
        window = Window(host: host)
        self.generator = generator
        host.faultHandling = .record { [weak self] in self?.note("fault:\($0)") }
        window.rootViewController = set
        window.makeVisible()
    }

    private final class Counter {
        var count = 0
    }

    private func note(_ text: String) { log.append(String(repeating: "  ", count: depth) + text) }

    private func chance(_ n: Int) -> Bool { Int.random(in: 0..<n, using: &generator) == 0 }

    private func make() -> RecordingController {
        if chance(8) { use() }
        let name = "\(made.count)"
        let on = Self.callbacks.map { callback in
            (callback, { [unowned self] (child: RecordingController) in interrupt(callback, of: child) })
        }
        let child = Tenant(name, host: host, trace: trace, on: Dictionary(uniqueKeysWithValues: on))
        made.append(child)
        return child
    }

    private func interrupt(_ callback: String, of child: RecordingController) {
        guard depth > 0, depth < 6, chance(3) else { return }
        note("in \(callback) of \(child.name):")
        step()
    }

    func step() {
        depth += 1
        defer { depth -= 1 }
        switch Int.random(in: 0..<14, using: &generator) {
        case 0:
            let key = Int.random(in: 0..<5, using: &generator)
            note("remove \(key)")
            set.removeChild(for: key)
        case 1:
            note(window.isVisible ? "hide" : "show")
            if window.isVisible { window.hide() } else { window.makeVisible() }
        case 2 where host.currentWarning == nil:
            note("warn")
            host.simulateMemoryWarning(.critical)
        case 3:
            guard let child = made.randomElement(using: &generator) else { return }
            note("move \(child.name)")
            other.addChild(child)
        case 4:
            guard let child = made.randomElement(using: &generator) else { return }
            let key = Int.random(in: 0..<5, using: &generator)
            note("use \(key) with \(child.name)")
            _ = set.child(for: key) { child }
        default: use()
        }
    }

    private func use() {
        let key = Int.random(in: 0..<5, using: &generator)
        note("use \(key)")
        let child = set.child(for: key) { make() }
        note("used \(key): \(child.name)")
    }

    /// The conditions that must hold between operations, but do not.
    func violations() -> [String] {
        var violations: [String] = []
        func check(_ condition: Bool, _ what: String) {
            if !condition { violations.append(what) }
        }
        let inService = set.childrenInService
        let members = (0..<5).compactMap { set.childIfPresent(for: $0) }
        check(inService.count <= set.limit, "\(inService.count) in service")
        check(
            Set(members.map(ObjectIdentifier.init)) == Set(set.children.map(ObjectIdentifier.init))
                && members.count == set.children.count,
            "the children are \(set.children.count), and those with keys \(members.map(\.name))"
        )
        for child in made {
            let isInService = inService.contains { $0 === child }
            let phase = child.appearance.phase
            check(child.loading == .idle, "\(child.name) is left loading")
            check(
                child.viewIfLoaded.map { set.viewIfLoaded.map($0.isDescendant) ?? false } ?? false
                    == (isInService && set.isViewLoaded),
                "\(child.name) is in service: \(isInService), and in the view: \(!isInService)"
            )
            check(phase == (isInService && window.isVisible ? .appeared : .disappeared), "\(child.name) is \(phase)")
            check((child as? Tenant)?.isBalanced ?? false, "\(child.name)'s last callback does not fit \(phase)")
        }
        return violations
    }
}

private final class Tenant: RecordingController {
    /// The last appearance callback.
    private var last: String?

    var isBalanced: Bool {
        appearance.phase == .appeared ? last == "viewDidAppear" : last == nil || last == "viewDidDisappear"
    }

    override func viewWillAppear() {
        last = "viewWillAppear"
        super.viewWillAppear()
    }

    override func viewDidAppear() {
        last = "viewDidAppear"
        super.viewDidAppear()
    }

    override func viewWillDisappear() {
        last = "viewWillDisappear"
        super.viewWillDisappear()
    }

    override func viewDidDisappear() {
        last = "viewDidDisappear"
        super.viewDidDisappear()
    }

    override func willMove(toParent parent: ViewController?) {
        super.willMove(toParent: parent)
        on["willMove"]?(self)
    }

    override func didMove(toParent parent: ViewController?) {
        super.didMove(toParent: parent)
        on["didMove"]?(self)
    }
}
