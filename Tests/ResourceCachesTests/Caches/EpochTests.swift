import CEpoch
import CLinux
import Dispatch
import Synchronization
import TestSupport
import Testing

struct EpochTests {
    /// A thread that reads until it is told to leave.
    private final class Reader {
        private let leave = DispatchSemaphore(value: 0)
        private let thread: NewThread

        /// Returns once the thread is inside.
        init() {
            let entered = DispatchSemaphore(value: 0)
            thread = NewThread { [leave] in
                let reader = epoch_enter()
                entered.signal()
                leave.wait()
                epoch_leave(reader)
            }
            entered.wait()
        }

        /// Returns once the thread has ended.
        func end() {
            leave.signal()
            thread.join()
        }
    }

    @Test("an epoch has not passed while somebody is inside who entered in it; entering nests")
    func nesting() {
        let outer = epoch_enter()
        let epoch = epoch_advance()
        let inner = epoch_enter()
        #expect(outer == inner)
        #expect(!epoch_has_passed(epoch))
        epoch_leave(inner)
        #expect(!epoch_has_passed(epoch))
        epoch_leave(outer)
        #expect(eventually { epoch_has_passed(epoch) })
    }

    @Test("an epoch passes whoever enters after it, and the next one does not")
    func later() {
        let epoch = epoch_advance()
        let reader = epoch_enter()
        #expect(eventually { epoch_has_passed(epoch) })
        let next = epoch_advance()
        #expect(next > epoch)
        #expect(!epoch_has_passed(next))
        epoch_leave(reader)
        #expect(eventually { epoch_has_passed(next) })
    }

    @Test("a thread that first reads after the end of an epoch does not hold it up, and one from before does")
    func registration() {
        let before = Reader()
        let epoch = epoch_advance()
        let after = Reader()
        #expect(!epoch_has_passed(epoch))
        before.end()
        #expect(eventually { epoch_has_passed(epoch) })
        let next = epoch_advance()
        #expect(!epoch_has_passed(next))
        after.end()
        #expect(eventually { epoch_has_passed(next) })
    }

    @Test("threads that are inside at the same time have different numbers")
    func numbers() {
        let barrier = Barrier(8)
        let numbers = Locked<Set<UInt32>>([])
        onThreads(8) { _ in
            let reader = epoch_enter()
            _ = numbers.withLock { $0.insert(reader.pointee.number) }
            barrier.wait()
            epoch_leave(reader)
        }
        #expect(numbers.withLock { $0.count } == 8)
    }

    @Test("a thread that has ended leaves its place to the next one")
    func reuse() {
        let numbers = Locked<Set<UInt32>>([])
        for _ in 0..<100 {
            onThreads(1) { _ in
                let reader = epoch_enter()
                _ = numbers.withLock { $0.insert(reader.pointee.number) }
                epoch_leave(reader)
            }
        }
        // Tests that run at the same time may take some.
        #expect(numbers.withLock { $0.count } < 50)
    }

    /// Two places that take turns: one is in use while the other is cleared and filled.
    private final class Places: Sendable {
        private let first = Atomic(true)
        private let second = Atomic(false)
        let current = Atomic(0)
        let isOver = Atomic(false)

        func fill(_ place: Int, _ isFull: Bool) {
            if place == 0 { first.store(isFull, ordering: .relaxed) } else { second.store(isFull, ordering: .relaxed) }
        }

        func isFull(_ place: Int) -> Bool {
            place == 0 ? first.load(ordering: .relaxed) : second.load(ordering: .relaxed)
        }
    }

    @Test("what a reader finds stays until it leaves, while a writer clears what no reader can be at")
    func exclusion() {
        let places = Places()
        let misses = Counter()
        onThreads(3) { thread in
            if thread == 0 {
                for round in 0..<(isUnderThreadSanitizer ? 200 : 2_000) {
                    let (old, new) = (round % 2, 1 - round % 2)
                    places.fill(new, true)
                    places.current.store(new, ordering: .releasing)
                    let epoch = epoch_advance()
                    while !epoch_has_passed(epoch) { sched_yield() }
                    places.fill(old, false)
                }
                places.isOver.store(true, ordering: .releasing)
            } else {
                while !places.isOver.load(ordering: .acquiring) {
                    let reader = epoch_enter()
                    let place = places.current.load(ordering: .acquiring)
                    for _ in 0..<20 where !places.isFull(place) { misses.increment() }
                    epoch_leave(reader)
                }
            }
        }
        #expect(misses.value == 0)
    }
}
