/// The classes and segue kinds that a host's archives may name.
///
/// ```swift
/// host.classes.register(IndexController.init(coder:))
/// host.classes.register(TermsView.init(coder:))
/// ```
///
/// ``Responder``, ``View``, ``ListView``, ``ViewController``, ``NavigationController``, ``TabController`` and
/// ``ListController`` need not be registered; ``RowView`` and your subclasses have to be. A
/// ``WorkingSetController`` has no `init(coder:)`: register a closure that makes it, or make it in code.
public struct ClassRegistry {
    private var makers: [String: (Coder) -> Responder] = [:]
    private var segues: [String: (Segue) -> Void] = [:]

    init() {
        register { _ in Responder() }
        register(View.init(coder:))
        register(ViewController.init(coder:))
        register(NavigationController.init(coder:))
        register(TabController.init(coder:))
        register(ListController.init(coder:))
        register(ListView.init(coder:))
    }

    /// Lets archives name a class: a controller, a view, or another responder.
    ///
    /// A class of the same name is replaced.
    ///
    /// - Parameters:
    ///   - name: The name in archives; by default the class's own, without its module.
    ///   - make: Makes an object from its archive; usually `init(coder:)`.
    public mutating func register<Object: Responder>(as name: String? = nil, _ make: @escaping (Coder) -> Object) {
        makers[name ?? String(describing: Object.self)] = make
    }

    /// Lets storyboards name a kind of segue besides `push` and `present`.
    ///
    /// - Parameters:
    ///   - kind: The name in storyboards.
    ///   - perform: Shows the segue's destination; it has been prepared, and its view is not loaded.
    public mutating func registerSegue(_ kind: String, _ perform: @escaping (Segue) -> Void) {
        segues[kind] = perform
    }

    func make(_ className: String, from coder: Coder) -> Responder? { makers[className]?(coder) }

    func segue(_ kind: String) -> ((Segue) -> Void)? { segues[kind] }
}
