import ResourceManager
import Testing

@Suite(.onTwoThreads)
struct ViewTests {
    @Test("a view that is put into another place leaves its old place, and goes on top")
    func moving() {
        let (a, b, v, w) = (View(), View(), View(), View())
        a.addSubview(v)
        b.addSubview(w)
        b.addSubview(v)
        #expect(a.subviews.isEmpty)
        #expect(b.subviews.map(ObjectIdentifier.init) == [w, v].map(ObjectIdentifier.init))
        #expect(v.superview === b)
        b.addSubview(w)
        #expect(b.subviews.map(ObjectIdentifier.init) == [v, w].map(ObjectIdentifier.init))
    }

    @Test("a view cannot contain itself, directly or through others, nor can a window lie in a view")
    func noRings() {
        let stage = Stage()
        let a = stage.controller("A")
        let inner = View()
        a.view.addSubview(inner)
        let window = stage.window()
        #expect(
            stage.events {
                inner.addSubview(a.view)
                inner.addSubview(inner)
                inner.addSubview(window)
            } == Array(repeating: "fault:hierarchyInconsistency", count: 3)
        )
        #expect(inner.superview === a.view)
        #expect(a.view.superview == nil)
    }

    @Test("a superview keeps its subviews, but a subview does not keep its superview")
    func ownership() {
        var parent: View? = View()
        weak var child: View?
        do {
            let view = View()
            child = view
            parent?.addSubview(view)
        }
        #expect(child != nil)
        parent = nil
        #expect(child == nil)
    }

    @Test("a tree's cost is the sum of its views and backings")
    func totalCost() {
        final class Backed: View {
            override func makeBacking() -> Any? { 1 }
            override var backingCost: Int { 100 }
        }
        let stage = Stage()
        let root = View()
        root.cost = 1
        let inner = Backed()
        inner.cost = 10
        root.addSubview(inner)
        #expect(root.totalCost == 11)
        let window = stage.window()
        window.addSubview(root)
        #expect(root.totalCost == 111)
    }
}
