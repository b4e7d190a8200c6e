import Synchronization
import TestSupport
import Testing

@testable import ObjectCache

struct DiscardableObjectTests {
    @Test("discarding content twice has the effect of once, and a refused access does not count (7.12, 7.13)")
    func discardTwice() {
        let stage = CacheStage()
        let box = stage.discardable("D")
        #expect(box.isContentBeingAccessed)
        box.endContentAccess()
        #expect(!box.isContentBeingAccessed)
        box.discardContentIfPossible()
        box.discardContentIfPossible()
        #expect(stage.trace.take() == ["D.discarded"])
        #expect(!box.beginContentAccess())
        #expect(!box.isContentBeingAccessed, "a refused access counts nothing")
        box.endContentAccess()
        #expect(stage.trace.take() == ["fault:unbalancedContentAccess"])
    }

    @Test("content that can be recreated is recreated when an access begins (7.12)")
    func recreated() {
        let trace = SharedTrace()
        let box = DiscardableObject(1) {
            trace.record("recreate")
            return 2
        }
        #expect(box.beginContentAccess())
        #expect(trace.take() == [], "it is there")
        box.endContentAccess()
        box.endContentAccess()
        box.discardContentIfPossible()
        #expect(box.isContentDiscarded)
        #expect(box.beginContentAccess())
        #expect(box.content == 2)
        #expect(trace.take() == ["recreate"])
        box.discardContentIfPossible()
        #expect(box.content == 2)
    }

    @Test("an access to content that cannot be recreated at present is refused")
    func notRecreated() {
        let box = DiscardableObject(1, recreate: { nil })
        box.endContentAccess()
        box.discardContentIfPossible()
        #expect(!box.beginContentAccess())
        #expect(!box.isContentBeingAccessed)
    }

    @Test("if two accesses recreate the content at the same time, both use the content of the first to finish (7.12)")
    func recreatedTwice() throws {
        let slow = Mutex<DiscardableObject<Int>?>(nil)
        let makings = Atomic(0)
        let box = DiscardableObject(
            0,
            recreate: {
                let making = makings.add(1, ordering: .relaxed).newValue
                // A second recreation overtakes the first one while it runs.
                if making == 1 { #expect(slow.withLock { $0 }?.beginContentAccess() == true) }
                return making
            }
        )
        slow.withLock { $0 = box }
        box.endContentAccess()
        box.discardContentIfPossible()
        #expect(box.beginContentAccess())
        #expect(box.content == 2)
        box.endContentAccess()
        #expect(box.isContentBeingAccessed)
        box.endContentAccess()
        #expect(!box.isContentBeingAccessed)
        slow.withLock { $0 = nil }
    }

    @Test(
        "a fault's description is its code",
        arguments: [
            (ContentFault.contentNotAccessed, "contentNotAccessed"),
            (.unbalancedContentAccess, "unbalancedContentAccess"),
        ]
    )
    func code(fault: ContentFault, code: String) {
        #expect(fault.description == code)
    }

    @Test("without a handler a fault is one line with advice")
    func logged() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let box = DiscardableObject(1)
            box.endContentAccess()
            box.endContentAccess()
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(
            text.contains(
                """
                ResourceManager: unbalancedContentAccess: endContentAccess() was called without an access under way; call \
                it once for each access that began\n
                """
            )
        )
    }
}
