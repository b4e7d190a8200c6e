import Testing

@testable import memwarnd

struct ConfigurationSourceTests {
    private static let text = #"""
        # a = 1
        a = 1 # b = 2
        "b" = "x = 1"
        c . 'd' = [
          "e = 1", # ] f = 2
          { g = 1 },
        ]
        long = """
        h = 1
        """"" # two quotes of the text and three that end it
        i = '''
        j = 1'''''
        [ k . "l.m" ]
        n = 1\#r
        [[o]]
        p = { q = { r = 1 } }
        [s.t]
        """#

    @Test(
        "a key is on the line that sets it, and what stands in values and comments is no key",
        arguments: [
            ("a", 2), ("b", 3), ("c", 4), ("c d", 4), ("long", 8), ("i", 11), ("k", 13), ("k l.m", 13), ("k l.m n", 14),
            ("o", 15), ("o p", 16), ("o p q r", 16), ("s", 17), ("s t", 17), ("e", nil), ("f", nil), ("h", nil),
            ("j", nil), ("n", nil), ("x", nil), ("s t u", nil),
        ] as [(String, Int?)]
    )
    func line(path: String, expected: Int?) {
        let source = ConfigurationSource(Self.text)
        #expect(source.line(of: path.split(separator: " ").map(String.init)) == expected)
    }

    @Test("a text that ends anywhere has an end", arguments: 0...text.utf8.count)
    func cut(length: Int) {
        let source = ConfigurationSource(String(decoding: Self.text.utf8.prefix(length), as: UTF8.self))
        #expect(source.line(of: ["no such key"]) == nil)
    }

    @Test func aByteOrderMarkIsNoPartOfTheFirstKey() {
        #expect(ConfigurationSource("\u{FEFF}a = 1\n").line(of: ["a"]) == 1)
    }
}
