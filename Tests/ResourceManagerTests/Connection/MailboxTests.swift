import Testing

@testable import ResourceManager

struct MailboxTests {
    private func letter(_ level: PressureLevel, simulated: Bool = false, round: UInt64) -> Mailbox.Letter {
        .warning(.init(warning: MemoryWarning(level: level, isSimulated: simulated, round: round), answerTo: 1))
    }

    /// The rounds of the next letters; after the last warning nothing but a new origin is in the box.
    private func rounds(_ mailbox: Mailbox, count: Int) async -> [UInt64] {
        var rounds: [UInt64] = []
        for _ in 0..<count {
            guard case .warning(let delivery)? = await mailbox.next() else { break }
            rounds.append(delivery.warning.round)
        }
        mailbox.put(.origin(.none))
        if case .warning? = await mailbox.next() { Issue.record("another warning was left") }
        return rounds
    }

    @Test func theNewestWarningWins() async {
        let mailbox = Mailbox()
        for round in 1...5 as ClosedRange<UInt64> { mailbox.put(letter(.warning, round: round)) }
        #expect(await rounds(mailbox, count: 1) == [5])
    }

    @Test("a simulation hides no real warning, nor the other way round")
    func simulatedApart() async {
        let mailbox = Mailbox()
        mailbox.put(letter(.critical, round: 1))
        mailbox.put(letter(.warning, simulated: true, round: 2))
        #expect(await rounds(mailbox, count: 2) == [1, 2])
    }

    private func command(_ number: UInt64) -> Mailbox.Letter {
        .command(.init(command: Command("c"), sequence: number, answerTo: 1))
    }

    @Test("commands queue behind warnings, and none is lost or passes another")
    func commandsQueue() async {
        let mailbox = Mailbox()
        for number in 1...3 as ClosedRange<UInt64> { mailbox.put(command(number)) }
        mailbox.put(letter(.critical, round: 9))
        #expect(await rounds(mailbox, count: 1) == [9])
        for number in 1...3 as ClosedRange<UInt64> {
            guard case .command(let errand)? = await mailbox.next() else {
                Issue.record("no command")
                return
            }
            #expect(errand.sequence == number)
        }
    }

    @Test("of commands that nobody takes sixteen are kept, and there is room again as they are taken")
    func commandsAreBounded() async {
        let mailbox = Mailbox()
        for number in 1...16 as ClosedRange<UInt64> { #expect(mailbox.put(command(number))) }
        #expect(!mailbox.put(command(17)))
        #expect(mailbox.put(letter(.critical, round: 1)), "a warning always has room")
        _ = await mailbox.next()
        _ = await mailbox.next()
        #expect(mailbox.put(command(18)))
    }

    @Test func aReaderThatWaitsIsWoken() async {
        let mailbox = Mailbox()
        async let first = mailbox.next()
        mailbox.put(.origin(.none))
        guard case .origin(.none)? = await first else {
            Issue.record("another letter")
            return
        }
    }

    @Test func closingEndsAReaderThatWaitsAndAllLaterOnes() async {
        let mailbox = Mailbox()
        async let waiting = mailbox.next()
        mailbox.close()
        #expect(await isNone(waiting))
        #expect(await isNone(mailbox.next()))
    }

    private func isNone(_ letter: Mailbox.Letter?) -> Bool {
        if case .none = letter { true } else { false }
    }
}
