import Dispatch
import Testing

@testable import ResourceCaches

// A wait in vain should fail the test, not hang it.
@Suite(.timeLimit(.minutes(1)))
struct AsyncAnswersTests {
    @Test("promises count until they are collected, and are then replaced by the actual bytes")
    func promises() {
        let answers = AsyncAnswers(patience: .seconds(60))
        let (first, second) = (answers.promise(100), answers.promise(20))
        #expect(answers.promisedBytes == 120)
        #expect(first.keep(90))
        #expect(answers.promisedBytes == 120)
        #expect(second.keep(0))
        #expect(answers.collect() == 90)
        #expect((answers.promisedBytes, answers.collect()) == (0, 0))
    }

    @Test("the last answer ends the wait")
    func ends() {
        let answers = AsyncAnswers(patience: .seconds(600))
        for bytes in 1...8 {
            let promise = answers.promise(bytes)
            DispatchQueue.global().async { #expect(promise.keep(bytes)) }
        }
        #expect(answers.collect() == 36)
    }

    @Test("an answer after the end of its round does not count, even if the caller waits again")
    func late() {
        let answers = AsyncAnswers(patience: .zero)
        let (early, late) = (answers.promise(1), answers.promise(10))
        #expect(early.keep(1))
        #expect(answers.collect() == 1)
        let next = answers.promise(100)
        #expect(!late.keep(10))
        #expect(next.keep(100))
        #expect(answers.collect() == 100)
    }

    @Test("a round that never waits counts promises as promises, and not as bytes")
    func impatient() {
        let answers = AsyncAnswers(patience: nil)
        #expect(!answers.promise(100).keep(100))
        _ = answers.promise(10)
        #expect(answers.collect() == 0)
        #expect(answers.promisedBytes == 110)
    }

    @Test("a closed gate lets its thread continue after the time, and an open gate at once")
    func gate() {
        let gate = ThreadGate<Int>()
        #expect(gate.wait(atMost: .milliseconds(1)) == nil)
        #expect(gate.wait(atMost: .seconds(-1)) == nil)
        gate.open(with: 7)
        #expect(gate.wait(atMost: .seconds(600)) == 7)
    }
}
