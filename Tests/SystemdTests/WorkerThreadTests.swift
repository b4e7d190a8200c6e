import CLinux
import Testing

@testable import Systemd

struct WorkerThreadTests {
    /// A pipe to which the thread writes the work that it receives.
    private static func pipeEnds() throws -> (reading: CInt, writing: CInt) {
        var ends: [CInt] = [-1, -1]
        try #require(pipe(&ends) == 0)
        return (ends[0], ends[1])
    }

    private static func send(_ work: UInt64, to writing: CInt) {
        withUnsafeBytes(of: work) { _ = write(writing, $0.baseAddress, $0.count) }
    }

    private static func next(_ reading: CInt) -> UInt64? {
        var work: UInt64 = 0
        let count = withUnsafeMutableBytes(of: &work) { read(reading, $0.baseAddress, $0.count) }
        return count == 8 ? work : nil
    }

    @Test("work is done in order and on another thread, even after its owner is destroyed")
    func order() throws {
        let (reading, writing) = try Self.pipeEnds()
        defer { close(reading) }
        let caller = pthread_self()
        do {
            let made = WorkerThread(stackSize: 64 << 10) { work in
                Self.send(pthread_equal(pthread_self(), caller) != 0 ? 0 : work, to: writing)
                if work == 100 { close(writing) }
            }
            let thread = try #require(made)
            for work in 1...100 { #expect(thread.hand(UInt64(work))) }
        }
        for work in 1...100 { #expect(Self.next(reading) == UInt64(work)) }
        #expect(Self.next(reading) == nil)
    }

    @Test("a thread that is thousands of items behind accepts no more, and the caller does not wait")
    func behind() throws {
        let (reading, writing) = try Self.pipeEnds()
        let made = WorkerThread(stackSize: 64 << 10) { _ in
            // Until the test closes the other end.
            _ = Self.next(reading)
        }
        let thread = try #require(made)
        var taken: UInt64 = 0
        while taken < 10_000, thread.hand(taken) { taken += 1 }
        #expect((8_192...8_193).contains(taken))
        close(writing)
    }

    @Test("a thread accepts as many items as its room was set to")
    func room() throws {
        let (reading, writing) = try Self.pipeEnds()
        let made = WorkerThread(stackSize: 64 << 10, room: 60_000) { _ in
            // Until the test closes the other end.
            _ = Self.next(reading)
        }
        let thread = try #require(made)
        var taken: UInt64 = 0
        while taken < 60_000, thread.hand(taken) { taken += 1 }
        #expect(taken == 60_000)
        #expect((59_999...60_000).contains(thread.waiting))
        close(writing)
    }

    @Test("the thread leaves signals to other threads")
    func signals() throws {
        let (reading, writing) = try Self.pipeEnds()
        defer { close(reading) }
        let made = WorkerThread(stackSize: 64 << 10) { _ in
            var mask = sigset_t()
            pthread_sigmask(SIG_SETMASK, nil, &mask)
            Self.send(sigismember(&mask, SIGTERM) == 1 ? 1 : 2, to: writing)
        }
        let thread = try #require(made)
        #expect(thread.hand(0))
        #expect(Self.next(reading) == 1)
        close(writing)
    }
}
