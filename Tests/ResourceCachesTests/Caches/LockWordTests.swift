import CLinux
import TestSupport
import Testing

@testable import ResourceCaches

struct LockWordTests {
    /// A counter that a lock word guards.
    private final class Guarded: @unchecked Sendable {
        // `@unchecked`: the lock guards `value`.
        private let word: UnsafeMutablePointer<UInt32>
        private(set) var value = 0

        init() {
            word = .allocate(capacity: 1)
            word.initialize(to: 0)
        }

        deinit {
            word.deallocate()
        }

        func increment(whileLocked body: () -> Void = {}) {
            lock_word_take(word)
            value += 1
            body()
            lock_word_free(word)
        }

        func giveWay(turns: Int32) { lock_word_give_way(word, turns) }

        func isTakenBriefly() -> Bool {
            guard lock_word_try_briefly(word) else { return false }
            lock_word_free(word)
            return true
        }
    }

    @Test("one thread holds the lock at a time, whatever the number of threads that want it")
    func exclusion() {
        let guarded = Guarded()
        let steps = isUnderThreadSanitizer ? 2_000 : 50_000
        onThreads(8) { _ in for _ in 0..<steps { guarded.increment() } }
        #expect(guarded.value == 8 * steps)
    }

    @Test("all sleeping threads are woken")
    func sleepers() {
        let guarded = Guarded()
        for _ in 0..<20 {
            let barrier = Barrier(6)
            onThreads(6) { thread in
                // The first thread keeps the lock until the others must have stopped spinning.
                if thread == 0 {
                    guarded.increment {
                        barrier.wait()
                        for _ in 0..<2_000 { sched_yield() }
                    }
                } else {
                    barrier.wait()
                    guarded.increment()
                }
            }
        }
        #expect(guarded.value == 120)
    }

    @Test("an attempt to take a lock that another thread keeps is given up after a short time")
    func patience() {
        let guarded = Guarded()
        let outcomes = Locked<[Bool]>([])
        guarded.increment { onThreads(1) { _ in outcomes.withLock { $0.append(guarded.isTakenBriefly()) } } }
        outcomes.withLock { $0.append(guarded.isTakenBriefly()) }
        #expect(outcomes.withLock { $0 } == [false, true])
    }

    @Test("a thread gives way to one that does not take the lock for a ninth of its time at most")
    func givingWayInVain() {
        @Sendable func sleeps() -> Int {
            var usage = rusage()
            // RUSAGE_THREAD
            getrusage(1, &usage)
            return usage.ru_nvcsw
        }
        let guarded = Guarded()
        let barrier = Barrier(2)
        onThreads(2) { thread in
            guard thread == 0 else {
                barrier.wait()
                return guarded.increment()
            }
            // The other thread sleeps meanwhile, and cannot take the lock.
            guarded.increment {
                barrier.wait()
                let before = sleeps()
                while sleeps() == before { guarded.giveWay(turns: 1) }
                let (first, start) = (sleeps(), ContinuousClock.now)
                while sleeps() < first + 20 { guarded.giveWay(turns: 1) }
                // Each turn takes 50 µs at least.
                #expect(ContinuousClock.now - start >= .microseconds(20 * 9 * 50 - 50))
            }
        }
    }
}

/// The protocol by which a lock holder detects a sleeping thread, in all orders of its steps.
///
/// A processor may delay a store until it executes a barrier, and so let a later load overtake the store. The model
/// keeps the holder's store in a buffer that may empty at any time.
struct LockWordProtocolTests {
    private struct State: Hashable {
        var word = 1
        /// Whether the holder's store of 0 is in the buffer.
        var hasStoreBuffered = false
        var sleepers = 0
        var holder = 0
        var waiter = 0
        var isAsleep = false
    }

    /// All states that may follow a step of the holder or the waiter, or the emptying of the buffer.
    private func next(_ state: State, sleepIsTimed: Bool) -> [State] {
        var states: [State] = []
        func add(_ change: (inout State) -> Void) {
            var new = state
            change(&new)
            states.append(new)
        }
        if state.hasStoreBuffered { add { ($0.word, $0.hasStoreBuffered) = (0, false) } }
        switch state.holder {
        case 0: add { ($0.hasStoreBuffered, $0.holder) = (true, 1) }
        // The holder looks for sleepers.
        case 1: add { $0.holder = $0.sleepers > 0 ? 2 : 3 }
        case 2:
            // A system call empties the buffer.
            add { new in
                if new.hasStoreBuffered { (new.word, new.hasStoreBuffered) = (0, false) }
                if new.isAsleep { (new.isAsleep, new.waiter) = (false, 3) }
                new.holder = 3
            }
        default: break
        }
        switch state.waiter {
        case 0: add { ($0.sleepers, $0.waiter) = (1, 1) }
        // futex(2) compares the word and goes to sleep in one step.
        case 1: add { new in (new.isAsleep, new.waiter) = new.word == 1 ? (true, 2) : (false, 3) }
        case 2 where sleepIsTimed: add { ($0.isAsleep, $0.waiter) = (false, 1) }
        default: break
        }
        return states
    }

    /// The states that no further step follows.
    private func ends(sleepIsTimed: Bool) -> Set<State> {
        var (seen, open, ends): (Set<State>, [State], Set<State>) = ([State()], [State()], [])
        while let state = open.popLast() {
            let following = next(state, sleepIsTimed: sleepIsTimed)
            if following.isEmpty { ends.insert(state) }
            for state in following where seen.insert(state).inserted { open.append(state) }
        }
        return ends
    }

    @Test("no order of steps leaves a waiter asleep beside a free lock")
    func wakes() {
        let ends = ends(sleepIsTimed: true)
        #expect(!ends.isEmpty)
        #expect(ends.allSatisfy { !$0.isAsleep && $0.waiter == 3 && $0.word == 0 })
    }

    @Test("a sleep without a time limit could last for ever beside a free lock")
    func untimed() {
        #expect(ends(sleepIsTimed: false).contains { $0.isAsleep && $0.word == 0 })
    }
}
