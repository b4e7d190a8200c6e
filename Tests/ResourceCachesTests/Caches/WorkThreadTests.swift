import CLinux
import Synchronization
import TestSupport
import Testing

@testable import ResourceCaches

struct WorkThreadTests {
    private let trace = SharedTrace()

    @Test("work is done in order, one piece at a time, on another thread")
    func order() async {
        let thread = WorkThread()
        let isBusy = Mutex(())
        let caller = pthread_self()
        await withCheckedContinuation { continuation in
            for number in 0..<100 {
                thread.perform { [trace] in
                    #expect(isBusy.withLockIfAvailable { _ in trace.record("\(number)") } != nil)
                    #expect(pthread_self() != caller)
                    if number == 99 { continuation.resume() }
                }
            }
        }
        #expect(trace.take() == (0..<100).map(String.init))
    }

    @Test("there is a thread while there is work, and a new thread for later work")
    func idle() {
        let starts = Counter()
        let waiting = Mutex<[@Sendable () -> Void]>([])
        let thread = WorkThread { body in
            starts.increment()
            waiting.withLock { $0.append(body) }
            return 0
        }
        for round in 1...3 {
            thread.perform { [trace] in
                trace.record("a")
                thread.perform { trace.record("c") }
            }
            thread.perform { [trace] in trace.record("b") }
            #expect(starts.value == round)
            waiting.withLock { $0.removeLast() }()
            #expect(trace.take() == ["a", "b", "c"])
        }
    }

    @Test("a thread for the service's code has room for deep destructors, and its faults reach their handlers")
    func stack() async {
        await #expect(processExitsWith: .success) {
            /// The element of a list whose destructor destroys the rest of the list.
            final class Link: Sendable {
                let next: Link?
                init(_ next: Link?) { self.next = next }
            }
            let blocked = await withCheckedContinuation { continuation in
                _ = startDetachedThread {
                    var list: Link?
                    for _ in 0..<8_000 { list = Link(list) }
                    list = nil
                    var mask = sigset_t()
                    pthread_sigmask(SIG_BLOCK, nil, &mask)
                    continuation.resume(returning: [SIGSEGV, SIGILL, SIGTERM, SIGABRT].map { sigismember(&mask, $0) })
                }
            }
            exit(blocked == [0, 0, 1, 1] ? 0 : 1)
        }
    }

    @Test("if no thread can be started the caller does the work")
    func refused() {
        let thread = WorkThread { _ in EAGAIN }
        for _ in 0..<2 { thread.perform { [trace] in trace.record("done") } }
        #expect(trace.take() == ["done", "done"])
    }
}
