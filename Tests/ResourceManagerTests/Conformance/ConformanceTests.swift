import Testing

/// Runs cases on an actor of its own.
private actor Elsewhere {
    func outcomes(of cases: [ConformanceCase]) -> [Outcome] {
        cases.map { $0.run() }
    }
}

struct ConformanceTests {
    @Test("the specification's case", arguments: ConformanceCase.specified)
    func specified(_ specified: ConformanceCase) {
        if let failure = specified.failure(of: specified.run()) { Issue.record(Comment(rawValue: failure)) }
    }

    @Test("an additional case, for a rule without one in the specification", arguments: ConformanceCase.further)
    func further(_ further: ConformanceCase) {
        if let failure = further.failure(of: further.run()) { Issue.record(Comment(rawValue: failure)) }
    }

    @Test("all cases run on two actors at once, and each ends as it does alone")
    @MainActor
    func twoActors() async {
        let cases = ConformanceCase.specified + ConformanceCase.further
        let alone = cases.map { $0.run() }
        for (specified, outcome) in zip(cases, alone) { #expect(specified.failure(of: outcome) == nil) }
        let elsewhere = Elsewhere()
        for _ in 0..<5 {
            async let theirs = elsewhere.outcomes(of: cases)
            let ours = cases.map { $0.run() }
            #expect(ours == alone)
            #expect(await theirs == alone)
        }
    }
}
