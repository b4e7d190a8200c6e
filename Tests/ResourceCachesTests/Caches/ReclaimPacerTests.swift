import Dispatch
import Synchronization
import Testing

@testable import ResourceCaches

struct ReclaimPacerTests {
    /// An allocator whose trims take the given times; `nil` means that another thread is trimming.
    private final class Allocator {
        var times: [UInt64?] = []
        var trims = 0

        func trim() -> UInt64? {
            trims += 1
            return times.isEmpty ? 0 : times.removeFirst()
        }
    }

    private static let mebibyte = 1 << 20
    private let allocator = Allocator()

    @Test("free pages are returned each time that 4 MiB have been dropped, in batches of any size")
    func steps() {
        let pacer = ReclaimPacer(trim: allocator.trim)
        let trims = [1, 2, 1, 3, 4, 0, 7].map { batch in
            pacer.didDrop(batch * Self.mebibyte)
            return allocator.trims
        }
        #expect(trims == [0, 0, 1, 1, 2, 2, 3])
        #expect(pacer.droppedBytes == 18 * Self.mebibyte)
    }

    @Test("pages that a responder has returned itself count, and need no trim")
    func returned() {
        let pacer = ReclaimPacer(trim: allocator.trim)
        pacer.didReturn(100 * Self.mebibyte)
        #expect(allocator.trims == 0)
        #expect(pacer.droppedBytes == 100 * Self.mebibyte)
    }

    @Test("while another thread trims, this thread continues, and tries again after the next batch")
    func busy() {
        allocator.times = [nil, nil, 0]
        let pacer = ReclaimPacer(trim: allocator.trim)
        for _ in 0..<3 { pacer.didDrop(ReclaimPacer.batchBytes) }
        #expect(allocator.trims == 3)
        pacer.didDrop(1)
        #expect(allocator.trims == 3)
    }

    @Test("a long trim is followed by a longer step, and a short one by a shorter step")
    func expensive() {
        allocator.times = [20_000_000, 4_000_000]
        let pacer = ReclaimPacer(trim: allocator.trim)
        let trims = (1...8).map { _ in
            pacer.didDrop(ReclaimPacer.batchBytes)
            return allocator.trims
        }
        // The first trim takes 20 ms. The next one comes after 20 MB, which the fifth batch reaches.
        #expect(trims == [1, 1, 1, 1, 1, 2, 3, 4])
    }

    @Test("an object that two rounds let go of counts once, in the round that drops it last or notices it first")
    func sharedByRounds() {
        final class Content {}
        let held = HeldMemory()
        let (first, second) = (ReclaimPacer(held: held), ReclaimPacer(held: held))
        var (a, b, c): (Content?, Content?, Content?) = (Content(), Content(), Content())
        for (object, bytes) in [(a, 100), (b, 10), (c, 1)] { first.didLetGo(of: object, bytes) }
        #expect(second.takeBytesHeld(by: a) == 100)
        a = nil
        second.didLetGo(of: b, 20)
        b = nil
        second.settle()
        first.settle()
        #expect((first.droppedBytes, second.droppedBytes) == (0, 20))
        c = nil
        first.settle()
        #expect(first.droppedBytes == 1)
    }

    @Test("the process runs one trim at a time")
    func exclusive() {
        let isOtherTurnedAway = Atomic(false)
        ProcessMemory.trimming.withLock { _ in
            let group = DispatchGroup()
            DispatchQueue(label: "other").async(group: group) {
                isOtherTurnedAway.store(ProcessMemory.trimAllocatorUnlessBusy() == nil, ordering: .releasing)
            }
            group.wait()
        }
        let isTurnedAway = isOtherTurnedAway.load(ordering: .acquiring)
        #expect(isTurnedAway)
        #expect(ProcessMemory.trimAllocatorUnlessBusy() != nil)
    }
}
