/// What a value that is being loaded will cost and how much it would be missed.
@usableFromInline
struct LoadTerms: Sendable {
    var cost: Int?
    var priority: CachePriority

    @usableFromInline
    init(cost: Int?, priority: CachePriority) {
        self.cost = cost
        self.priority = priority
    }
}
