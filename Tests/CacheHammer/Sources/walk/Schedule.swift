import CHammer
import Canaries

/// Runs threads one at a time, each until its next step with a lock, in all orders in turn.
///
/// A schedule is a list of choices: at each step, which of the threads that can continue does so. In the first schedule
/// the present thread always continues. The next schedule differs from the last one in the latest choice that has
/// another option, and so on until all schedules have run.
// `@unchecked`: only the thread that has the turn uses it, and a semaphore passes the turn on.
final class Schedules: @unchecked Sendable {
    private struct Choice {
        var option: Int
        let options: Int
    }

    private enum State: Equatable {
        case ready
        /// Continues when this lock is free.
        case waits(UnsafeMutablePointer<UInt32>)
        case ended
    }

    /// With more steps than this, threads wait for each other in a circle without end.
    private static let mostSteps = 20_000

    /// How often a thread that could continue has to wait for another thread, at most; `nil` for any number of times.
    private let mostSwitches: Int?
    private var choices: [Choice] = []
    private var depth = 0
    private var switches = 0
    private(set) var count = 0

    private var states: [State] = []
    private var isQuiet: [Bool] = []
    private var owners: [UnsafeMutablePointer<UInt32>: Int] = [:]
    private var bodies: [@Sendable () -> Void] = []
    private var threads: [SystemThread] = []
    // The turns of the threads. `end` is the turn of the main thread, which it gets when all threads have ended.
    private var turns: [Turn] = []
    private let end = Turn()

    init(mostSwitches: Int?) {
        self.mostSwitches = mostSwitches
    }

    /// Ends the threads.
    func stop() {
        bodies = []
        for turn in turns { turn.give() }
        for thread in threads { thread.join() }
        (threads, turns) = ([], [])
    }

    private func addThread() {
        let (number, turn) = (threads.count, Turn())
        turns.append(turn)
        threads.append(
            SystemThread { [self] in
                steps_set_thread(UInt32(number + 1))
                while true {
                    turn.wait()
                    guard number < bodies.count else { return }
                    bodies[number]()
                    states[number] = .ended
                    handOn(from: nil)
                }
            }
        )
    }

    // `nonisolated(unsafe)`: it changes while no other thread runs.
    private nonisolated(unsafe) static var present: Schedules?

    /// Makes the locks call `step`; `false` if the caches were built without these calls.
    static func callAtSteps() -> Bool {
        steps_call { kind, word in
            let thread = Int(steps_thread())
            if thread > 0 { Schedules.present?.step(kind, word, thread - 1) }
        }
    }

    /// Runs the bodies in the next order, each on its own thread, and keeps none of them.
    ///
    /// - Returns: `false` if all orders have been run.
    func run(_ bodies: [@Sendable () -> Void]) -> Bool {
        count += 1
        (depth, switches) = (0, 0)
        states = bodies.map { _ in .ready }
        isQuiet = bodies.map { _ in false }
        self.bodies = bodies
        while threads.count < bodies.count { addThread() }
        Self.present = self
        handOn(from: nil)
        end.wait()
        Self.present = nil
        self.bodies = []
        expect(owners.isEmpty, "\(owners.count) locks are still taken after \(self)")
        return next()
    }

    /// Runs a part of a thread's body without switching threads, unless the thread has to wait for another one.
    static func quietly(_ body: () -> Void) {
        guard let present, steps_thread() > 0 else { return body() }
        let thread = Int(steps_thread()) - 1
        present.isQuiet[thread] = true
        body()
        present.isQuiet[thread] = false
    }

    private func step(_ kind: LockStepKind, _ word: UnsafeMutablePointer<UInt32>, _ thread: Int) {
        if kind == step_has {
            let owner = owners.updateValue(thread, forKey: word)
            expect(owner == nil, "threads \(owner ?? 0) and \(thread) have the same lock after \(self)")
        }
        if kind == step_cleared {
            // The kernel has freed the lock already, so this is no step.
            owners[word] = nil
        } else if !isQuiet[thread] || kind == step_takes && word.pointee != 0 {
            states[thread] = kind == step_takes ? .waits(word) : .ready
            handOn(from: thread)
            states[thread] = .ready
        }
        if kind == step_frees {
            let owner = owners.removeValue(forKey: word)
            expect(owner == thread, "thread \(thread) frees a lock that it does not have after \(self)")
        }
    }

    /// Gives a thread the turn, and returns when the present thread has it again.
    ///
    /// - Parameter thread: The present thread; `nil` if it has ended.
    private func handOn(from thread: Int?) {
        var runnable = states.indices.filter { canRun($0) }
        guard !runnable.isEmpty else {
            expect(states.allSatisfy { $0 == .ended }, "all threads wait for locks: \(states), after \(self)")
            return end.give()
        }
        if let thread, let place = runnable.firstIndex(of: thread) {
            runnable.swapAt(0, place)
            if let mostSwitches, switches >= mostSwitches { runnable = [thread] }
        }
        let next = runnable[choose(runnable.count)]
        if next == thread { return }
        if let thread, runnable[0] == thread { switches += 1 }
        turns[next].give()
        if let thread { turns[thread].wait() }
    }

    private func canRun(_ thread: Int) -> Bool {
        switch states[thread] {
        case .ready: true
        case .waits(let word): word.pointee == 0
        case .ended: false
        }
    }

    private func choose(_ options: Int) -> Int {
        expect(depth < Self.mostSteps, "the threads do not come to an end after \(self)")
        if depth == choices.count { choices.append(Choice(option: 0, options: options)) }
        expect(choices[depth].options == options, "the same choices led elsewhere than before after \(self)")
        depth += 1
        return choices[depth - 1].option
    }

    /// Advances to the next order; `false` if there is none.
    private func next() -> Bool {
        while let last = choices.popLast() {
            if last.option + 1 < last.options {
                choices.append(Choice(option: last.option + 1, options: last.options))
                return true
            }
        }
        return false
    }
}

extension Schedules: CustomStringConvertible {
    /// The choices made so far.
    var description: String { "the choices " + choices.prefix(depth).map { String($0.option) }.joined() }
}

/// A turn that one thread waits for and another thread gives.
private final class Turn: Sendable {
    // `nonisolated(unsafe)`: the pointer does not change, and a semaphore may be used from all threads.
    private nonisolated(unsafe) let semaphore: UnsafeMutablePointer<sem_t>

    init() {
        semaphore = .allocate(capacity: 1)
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func give() {
        sem_post(semaphore)
    }

    func wait() {
        while sem_wait(semaphore) != 0 {}
    }
}
