import ResourceManager
import Testing

private final class Index: ViewController {
    private(set) var done: [String] = []

    override class var actions: Actions {
        super.actions
            .adding("rebuild", Index.rebuild)
            .adding("note", Index.note)
    }

    private func rebuild(_ command: Command) throws -> String {
        guard !command.argument.isEmpty else { throw ResourceFault.unknownAction("rebuild what?") }
        return "rebuilt \(command.argument)"
    }

    private func note(_ command: Command) {
        done.append(command.argument)
    }
}

private final class SpecialIndex: View {
    override class var actions: Actions { super.actions.adding("refresh", SpecialIndex.refresh) }
    private func refresh(_ command: Command) -> String { "refreshed" }
}

private final class AppDelegate: Responder, ControllerHostDelegate {
    override class var actions: Actions { super.actions.adding("quit", AppDelegate.quit) }
    private func quit(_ command: Command) -> String { "bye" }
}

@Suite(.onTwoThreads)
struct ResponderTests {
    let stage = Stage()

    @Test("an action is a method of the class, with an answer, without one, or with an error")
    func actions() {
        let index = Index(host: stage.host)
        #expect(index.canPerform("rebuild"))
        #expect(!index.canPerform("refresh"))
        #expect(index.perform(Command("rebuild", argument: "terms")) == .done("rebuilt terms"))
        #expect(index.perform(Command("rebuild")) == .failed("unknownAction:rebuild what?"))
        #expect(index.perform(Command("note", argument: "x")) == .done(""))
        #expect(index.done == ["x"])
        #expect(index.perform(Command("refresh")) == .unhandled)
        #expect(Index.actions.names == ["note", "rebuild"])
    }

    @Test("a command goes up the chain until a responder has the action (5.37)")
    func chain() {
        let index = Index(host: stage.host)
        let child = stage.controller("C")
        index.addChild(child)
        let view = SpecialIndex()
        child.view.addSubview(view)
        index.view.addSubview(child.view)
        let delegate = AppDelegate()
        stage.host.delegate = delegate
        let window = stage.window(showing: index)

        #expect(view.send(Command("refresh")) == .done("refreshed"))
        #expect(view.send(Command("rebuild", argument: "all")) == .done("rebuilt all"))
        #expect(view.send(Command("quit")) == .done("bye"))
        #expect(view.send(Command("unknown")) == .unhandled)
        let chain: [Responder] = [view, child.view, child, index.view, index, window, stage.host, delegate]
        #expect(view.chain.count == chain.count)
        #expect(zip(view.chain, chain).allSatisfy { $0 === $1 })
    }

    @Test("the presenter follows a presented controller in the chain, then the window (5.37)")
    func presented() {
        let a = stage.controller("A")
        let navigation = NavigationController(host: stage.host, viewControllers: [a])
        let b = stage.controller("B")
        let window = stage.window(showing: navigation)
        a.present(b)
        let chain: [Responder] = [b.view, b, a, window, stage.host]
        #expect(b.view.chain.count == chain.count)
        #expect(zip(b.view.chain, chain).allSatisfy { $0 === $1 })
    }

    @Test("a view's event is a command to its target or, without one, up the chain; the view does not keep its target")
    func events() {
        let index = Index(host: stage.host)
        let view = SpecialIndex()
        index.view.addSubview(view)
        var target: SpecialIndex? = SpecialIndex()
        view.connect("rebuild", to: "changed", of: index)
        view.connect("refresh", to: "changed", of: target)
        view.connect("note", to: "changed", of: nil)
        view.connect("note", to: "other", of: nil)
        #expect(
            view.sendActions(for: "changed", argument: "a") == [.done("rebuilt a"), .done("refreshed"), .done("")]
        )
        #expect(index.done == ["a"])
        target = nil
        #expect(view.sendActions(for: "changed", argument: "b")[1] == .unhandled)
        #expect(view.sendActions(for: "nothing").isEmpty)
        #expect(target == nil)
    }

    @Test("the chain of a controller without a place ends at the host")
    func offWindow() {
        let p = stage.controller("P")
        let c = stage.controller("C")
        p.addChild(c)
        #expect(c.chain.count == 3)
        #expect(c.chain.last === stage.host)
    }
}
