import ResourceManager
import Testing

struct ResourceFaultTests {
    @Test(
        "a fault's description is its code",
        arguments: [
            (ResourceFault.viewAccessedDuringLoad, "viewAccessedDuringLoad"),
            (.loadViewDidNotAssignView, "loadViewDidNotAssignView"),
            (.viewAlreadyOwned, "viewAlreadyOwned"),
            (.hierarchyInconsistency, "hierarchyInconsistency"),
            (.unbalancedAppearanceTransition, "unbalancedAppearanceTransition"),
        ]
    )
    func code(fault: ResourceFault, code: String) {
        #expect(fault.description == code)
    }

    @Test("a logged fault is one line with the place and advice")
    func logged() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
            ViewController(host: ControllerHost("h")).endAppearanceTransition()
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(
            text.contains(
                """
                ResourceManager: unbalancedAppearanceTransition in ViewController: endAppearanceTransition() was called \
                without a transition under way; call beginAppearanceTransition(_:) first\n
                """
            )
        )
    }

    @Test("a fault of a view reaches the host's observers too")
    func faultOfView() {
        let host = ControllerHost("h")
        host.faultHandling = .record { _ in }
        var faults: [ResourceFault] = []
        let registration = host.onFault { faults.append($0) }
        let (parent, child) = (ViewController(host: host), ViewController(host: host))
        parent.addChild(child)
        // A view without a controller could take it.
        let other = ViewController(host: host)
        if let view = child.view { other.view?.addSubview(view) }
        #expect(faults == [.hierarchyInconsistency])
        registration.cancel()
    }

    /// Uses its host in its deinit.
    private final class LastUser {
        private let use: () -> Void
        init(_ use: @escaping () -> Void) { self.use = use }
        deinit { use() }
    }

    @Test("a property of the host may be replaced whose last object uses the property in its deinit")
    func replaced() async throws {
        try await #require(processExitsWith: .success) {
            let host = ControllerHost("h")
            do {
                let user = LastUser { ViewController(host: host).endAppearanceTransition() }
                host.faultHandling = .record { _ in _ = user }
            }
            host.faultHandling = .record { _ in }
            do {
                let user = LastUser { host.classes.register { _ in View() } }
                host.classes.register(as: "Used") { _ in
                    _ = user
                    return View()
                }
            }
            host.classes.register(as: "Used") { _ in View() }
        }
    }

    @Test("a fault's handler may call what is refused: it is called again, four deep at most")
    func refusedInHandler() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let host = ControllerHost("h")
            var count = 0
            host.faultHandling = .record { _ in
                count += 1
                ViewController(host: host).endAppearanceTransition()
            }
            ViewController(host: host).endAppearanceTransition()
            precondition(count == 4)
            ViewController(host: host).endAppearanceTransition()
            precondition(count == 8)
        }
        let lines = String(decoding: result.standardErrorContent, as: UTF8.self).split(separator: "\n")
        #expect(lines.filter { $0.contains("ResourceManager: ") }.count == 2)
    }

    @Test("names from an archive can neither control a terminal nor forge a line of the log")
    func escaped() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let host = ControllerHost("h")
            host.archives = Catalogue(nibs: ["X": NibArchive(view: ArchivedObject(className: "\u{1b}[2Jred\nforged"))])
            ViewController(nibName: "X", host: host).loadViewIfNeeded()
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.contains(#"ResourceManager: unknownClass:\u{1b}[2Jred\u{a}forged in ViewController: no class"#))
        #expect(!text.contains("\u{1b}[2J"))
    }

    @Test("names in the texts of a fault are escaped, for services that log them themselves")
    func escapedTexts() {
        let fault = ResourceFault.unknownClass("\u{1b}[2Jred\nforged")
        #expect("\(fault)" == #"unknownClass:\u{1b}[2Jred\u{a}forged"#)
        #expect(fault.advice.hasPrefix(#"no class \u{1b}[2Jred\u{a}forged is"#))
    }

    @Test("a trapped fault ends the process")
    func trapped() async {
        await #expect(processExitsWith: .failure) {
            let host = ControllerHost("h")
            host.faultHandling = .trap
            ViewController(host: host).endAppearanceTransition()
        }
    }
}
