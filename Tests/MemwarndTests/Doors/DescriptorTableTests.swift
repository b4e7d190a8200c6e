import Testing

@testable import memwarnd

/// Values by file descriptor.
struct DescriptorTableTests {
    @Test("a table that gives up its room keeps its values, and takes new ones beyond them")
    func shrinking() {
        var table = DescriptorTable<String>()
        for descriptor: CInt in 3..<1_000 { table.add("\(descriptor)", for: descriptor) }
        for descriptor: CInt in 3..<1_000 where descriptor != 7 {
            #expect(table.remove(descriptor) == "\(descriptor)")
        }
        #expect(table.remove(8) == nil)
        table.shrink()
        #expect(table[7] == "7" && table[8] == nil && table[999] == nil && table[5_000] == nil)
        table.add("20", for: 20)
        #expect(table[20] == "20" && table[19] == nil)
    }
}
