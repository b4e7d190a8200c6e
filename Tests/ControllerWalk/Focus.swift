/// The few callbacks in which a walk calls operations, and the few operations that it calls there.
///
/// Half of the walks have a focus. A chain of several particular calls in particular callbacks, which is rare among all of
/// them, is frequent in the walks that have its parts in their focus. Many chains consist of operations of two kinds in
/// callbacks of one kind; so half of the foci are made of kinds.
struct Focus {
    let callbacks: Set<Callback>
    let operations: [Operation]

    /// The focus of a seed, if it has one.
    init?(_ seed: UInt64) {
        var choices = Choices(seed ^ 0x0f0c, [])
        guard choices.isOne(of: 2) else { return nil }
        guard choices.isOne(of: 2) else {
            callbacks = Set((0..<4).compactMap { _ in choices.element(of: Callback.allCases) })
            operations = (0..<5).map { _ in Operation.drawn(by: &choices, inCallback: true) }
            return
        }
        let calls = (0..<2).compactMap { _ in choices.element(of: Callback.Kind.allCases) }
        callbacks = Set(Callback.allCases.filter { calls.contains($0.kind) })
        let kinds = (0..<2).compactMap { _ in choices.element(of: Operation.Kind.allCases) }
        operations = kinds.flatMap(Operation.inCallbacks)
    }

    /// The walk calls an operation in one of this number of the callbacks.
    func rarity(of callback: Callback) -> Int {
        callbacks.contains(callback) ? min(callback.rarity, 3) : callback.rarity * 8
    }
}
