import ObjectCache
import TestSupport

/// A discardable object, which logs what happens to its content.
final class TracedContent {
    let name: String
    let object: DiscardableObject<Content>
    private let log: EventLog

    /// Notes that it was discarded, which is the case if it is deallocated while the object still lives.
    final class Content: Sendable {
        private struct Owner {
            weak var object: DiscardableObject<Content>?
        }

        private let owner = Locked(Owner())
        private let atDiscard: @Sendable () -> Void

        init(atDiscard: @escaping @Sendable () -> Void) {
            self.atDiscard = atDiscard
        }

        func belong(to object: DiscardableObject<Content>) {
            owner.withLock { $0.object = object }
        }

        deinit {
            if owner.withLock({ $0.object != nil }) { atDiscard() }
        }
    }

    init(_ name: String, log: EventLog) {
        self.name = name
        self.log = log
        let content = Content { log.record(Event(name, "discarded")) }
        object = DiscardableObject(content, faultHandler: { log.record(.fault($0)) })
        content.belong(to: object)
    }

    func begin() {
        log.record(Event(name, "begin", text: "\(name).begin=\(object.beginContentAccess())"))
    }

    func recordIsDiscarded() {
        log.record(Event(name, "isDiscarded", text: "\(name).isDiscarded=\(object.isContentDiscarded)"))
    }

    func read() {
        if object.content != nil { log.record(Event(name, "read")) }
    }
}
