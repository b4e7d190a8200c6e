import MemwarnProtocol
import Testing

@testable import ResourceManager

struct HostCommandTests {
    private let stage = Stage()

    private struct Broken: Error, CustomStringConvertible {
        let description: String
    }

    @Test("an action of the command's name is called, and its result is the answer")
    func done() {
        let registration = stage.host.onCommand("reload") { "\($0.name) \($0.argument)" }
        #expect(stage.host.handle(Command("reload", argument: "all")) == .done("reload all"))
        #expect(stage.host.handle(Command("Reload")) == .unhandled)
        registration.cancel()
    }

    @Test("an action's error is the reason why the command failed")
    func failed() {
        let registration = stage.host.onCommand("reload") { _ in throw Broken(description: "disk full") }
        #expect(stage.host.handle(Command("reload")) == .failed("disk full"))
        registration.cancel()
    }

    @Test("if a name has two actions, the newer one is called, and after it has ended the older one again")
    func newest() {
        let older = stage.host.onCommand("status") { _ in "older" }
        let newer = stage.host.onCommand("status") { _ in "newer" }
        let other = stage.host.onCommand("other") { _ in "other" }
        #expect(stage.host.handle(Command("status")) == .done("newer"))
        newer.cancel()
        #expect(stage.host.handle(Command("status")) == .done("older"))
        older.cancel()
        #expect(stage.host.handle(Command("status")) == .unhandled)
        other.cancel()
    }

    @Test("an action may end its own registration, register another one, and give another command")
    func reentrant() {
        let host = stage.host
        var registrations: [Registration] = []
        registrations.append(
            host.onCommand("first") { [unowned host] _ in
                registrations.removeAll()
                registrations.append(host.onCommand("second") { _ in "second" })
                return "\(host.handle(Command("first"))) \(host.handle(Command("second")))"
            }
        )
        #expect(host.handle(Command("first")) == .done(#"unhandled done("second")"#))
    }

    @Test("controllers in service are asked first, window by window, then the host, then its delegate (5.37)")
    func route() {
        final class Answering: ViewController {
            override class var actions: Actions { super.actions.adding("status", Answering.status) }
            private func status(_ command: Command) -> String { title ?? "" }
        }
        final class Delegate: Responder, ControllerHostDelegate {
            override class var actions: Actions { super.actions.adding("status", Delegate.status) }
            private func status(_ command: Command) -> String { "delegate" }
        }
        let host = stage.host
        let delegate = Delegate()
        host.delegate = delegate
        #expect(host.handle(Command("status")) == .done("delegate"))
        let registration = host.onCommand("status") { _ in "host" }
        let first = stage.window(showing: stage.controller("A"))
        let tabs = TabController(host: host, viewControllers: [Answering(host: host), Answering(host: host)])
        for (index, controller) in tabs.viewControllers.enumerated() { controller.title = "tab \(index)" }
        let second = Window(host: host)
        second.rootViewController = tabs
        #expect(host.handle(Command("status")) == .done("host"))
        second.makeVisible()
        #expect(host.handle(Command("status")) == .done("tab 0"))
        tabs.selectedIndex = 1
        #expect(host.handle(Command("status")) == .done("tab 1"))
        #expect(second.firstResponder === tabs.selectedViewController?.viewIfLoaded)
        #expect(Window(host: host).firstResponder is Window)
        #expect(host.viewControllers.count == 4)
        let top = Answering(host: host)
        top.title = "presented"
        first.rootViewController?.present(top)
        #expect(host.handle(Command("status")) == .done("presented"))
        first.rootViewController?.dismiss()
        second.hide()
        #expect(host.handle(Command("status")) == .done("host"))
        registration.cancel()
    }

    private final class ControllerAsDelegate: ViewController, ControllerHostDelegate {
        var shown: ViewController?
        override var childForAppearance: ViewController? { shown }
    }

    @Test("a controller may be the host's delegate: a command that no responder handles goes up to it once (5.37)")
    func controllerAsDelegate() {
        let (root, other) = (ControllerAsDelegate(host: stage.host), ControllerAsDelegate(host: stage.host))
        let window = stage.window(showing: root)
        stage.host.delegate = root
        #expect(stage.host.handle(Command("nothing")) == .unhandled)
        #expect(root.chain.count == 3 && root.chain.last === stage.host)
        stage.host.delegate = other
        let parent = stage.controller("P")
        parent.addChild(other)
        #expect(window.send(Command("nothing")) == .unhandled)
        #expect(root.chain.count == 4 && root.chain.last === other)
    }

    @Test("a shown controller that is the host's delegate too performs commands in its place in the chain (5.37)")
    func shownDelegate() {
        final class Answering: ViewController, ControllerHostDelegate {
            override class var actions: Actions { super.actions.adding("status", Answering.status) }
            private func status(_ command: Command) -> String { title ?? "" }
        }
        let (root, child) = (Answering(host: stage.host), Answering(host: stage.host))
        (root.title, child.title) = ("root", "child")
        root.addChild(child)
        root.view.addSubview(child.view)
        let window = stage.window(showing: root)
        stage.host.delegate = child
        let registration = stage.host.onCommand("status") { _ in "host" }
        #expect(stage.host.handle(Command("status")) == .done("child"))
        window.hide()
        #expect(stage.host.handle(Command("status")) == .done("host"))
        registration.cancel()
        #expect(stage.host.handle(Command("status")) == .done("child"))
    }

    @Test("a container that shows itself, or another controller's child, is the first responder")
    func showsItself() {
        let (root, child) = (ControllerAsDelegate(host: stage.host), ControllerAsDelegate(host: stage.host))
        let window = stage.window(showing: root)
        root.shown = root
        #expect(window.firstResponder === root.viewIfLoaded)
        root.addChild(child)
        (root.shown, child.shown) = (child, root)
        child.loadViewIfNeeded()
        #expect(window.firstResponder === child.viewIfLoaded)
        (root.shown, child.shown) = (nil, nil)
    }

    @Test(
        "an answer that is too long or has a NUL is changed to fit its field",
        arguments: [
            (String(repeating: "x", count: 3000), String(repeating: "x", count: 2048)),
            (String(repeating: "ü", count: 1500), String(repeating: "ü", count: 1024)),
            ("x" + String(repeating: "ü", count: 1500), "x" + String(repeating: "ü", count: 1023)),
            ("a\0b\0", "a\u{FFFD}b\u{FFFD}"),
            (String(repeating: "\0", count: 2048), String(repeating: "\u{FFFD}", count: 682)),
            ("", ""),
        ]
    )
    func answers(answer: String, sent: String) {
        #expect(CommandOutcome.done(answer).reply.text == sent)
        #expect(CommandOutcome.failed(answer).reply.text == sent)
    }
}
