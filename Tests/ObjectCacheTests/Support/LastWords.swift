/// Calls a closure in its deinit.
final class LastWords: Sendable {
    private let atEnd: @Sendable () -> Void

    init(_ atEnd: @escaping @Sendable () -> Void) {
        self.atEnd = atEnd
    }

    deinit {
        atEnd()
    }
}
