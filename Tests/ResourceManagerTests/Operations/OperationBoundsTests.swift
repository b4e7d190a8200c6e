import Testing

@testable import ResourceManager

struct OperationBoundsTests {
    @Test("an operation from outside is permitted, and one from a callback sixteen operations deep is refused (3.25)")
    func depth() {
        var bounds = OperationBounds()
        func begins() -> Bool { bounds.begin(isStackScarce: false) }
        for _ in 0..<16 { #expect(begins()) }
        #expect(!begins())
        // An operation that began earlier continues nevertheless.
        bounds.resume()
        bounds.end()
        bounds.end()
        #expect(begins())
        #expect(!begins())
        for _ in 0..<16 { bounds.end() }
        #expect(begins())
    }

    @Test("an operation from a callback is refused after a thousand steps, counted from the outermost operation (3.25)")
    func steps() {
        var bounds = OperationBounds()
        func begins() -> Bool { bounds.begin(isStackScarce: false) }
        func takeSteps(_ count: Int) { for _ in 0..<count { bounds.step() } }
        #expect(begins())
        takeSteps(999)
        #expect(begins())
        bounds.end()
        takeSteps(1)
        #expect(!begins())
        bounds.resume()
        #expect(!begins())
        bounds.end()
        bounds.end()

        #expect(begins() && begins())
        takeSteps(1_000)
        bounds.end()
        bounds.end()
        bounds.resume()
        #expect(begins())
    }

    @Test(
        "a layout is bounded by its depth and takes no steps, each operation in an outermost one its own (3.25)",
        arguments: 1...3
    )
    func layouts(outermost: Int) {
        var bounds = OperationBounds()
        func begins() -> Bool { bounds.begin(isStackScarce: false) }
        func beginsLayout() -> Bool { bounds.beginLayout(isStackScarce: false) }
        for _ in 0..<outermost { #expect(beginsLayout()) }
        for _ in 0..<2 {
            #expect(begins())
            for _ in 0..<1_000 { bounds.step() }
            #expect(!begins())
            bounds.end()
        }
        for _ in 0..<2 {
            #expect(begins())
            for _ in 0..<1_000 { bounds.step() }
            #expect(!begins() && beginsLayout() && !begins())
            bounds.end()
            bounds.end()
        }
        for _ in outermost..<16 { #expect(beginsLayout()) }
        #expect(!beginsLayout() && !begins())
    }

    @Test("ten thousand layouts begin in one outermost call, the first included, and no more (3.25)")
    func manyLayouts() {
        var bounds = OperationBounds()
        func beginsLayout() -> Bool { bounds.beginLayout(isStackScarce: false) }
        var begun = 0
        for _ in 0..<2 {
            #expect(beginsLayout())
            begun += 1
            while beginsLayout() {
                begun += 1
                bounds.end()
            }
            bounds.end()
        }
        #expect(begun == 2 * 10_000)
    }

    @Test("other operations in between leave the number of layouts as it is (3.25)")
    func layoutsBetweenOperations() {
        var bounds = OperationBounds()
        func begins() -> Bool { bounds.begin(isStackScarce: false) }
        func beginsLayout() -> Bool { bounds.beginLayout(isStackScarce: false) }
        for _ in 0..<2 {
            #expect(begins())
            for _ in 0..<10_000 {
                #expect(begins())
                bounds.end()
                #expect(beginsLayout())
                bounds.end()
            }
            #expect(begins())
            bounds.end()
            #expect(!beginsLayout())
            bounds.end()
        }
    }

    @Test("after an operation that only lays out, the next one has its own steps, and no more (3.25)")
    func stepsAfterALayout() {
        var bounds = OperationBounds()
        func begins() -> Bool { bounds.begin(isStackScarce: false) }
        func beginsLayout() -> Bool { bounds.beginLayout(isStackScarce: false) }
        #expect(beginsLayout())
        bounds.end()
        for _ in 0..<2 {
            #expect(begins())
            for _ in 0..<1_000 { bounds.step() }
            #expect(!begins())
            bounds.end()
        }
    }

    @Test("with a scarce stack only an operation from outside begins (3.25)")
    func scarceStack() {
        var bounds = OperationBounds()
        func begins(_ isStackScarce: Bool) -> Bool { bounds.begin(isStackScarce: isStackScarce) }
        func beginsLayout(_ isStackScarce: Bool) -> Bool { bounds.beginLayout(isStackScarce: isStackScarce) }
        #expect(begins(true))
        #expect(!begins(true) && !beginsLayout(true))
        #expect(beginsLayout(false))
        bounds.end()
        bounds.end()
        #expect(beginsLayout(true))
    }
}
