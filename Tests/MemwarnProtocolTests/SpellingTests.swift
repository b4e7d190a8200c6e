import MemwarnProtocol
import Testing

struct SpellingTests {
    @Test(
        "a name is suggested if at most a third of its letters are omitted, inserted, changed or swapped with the next",
        arguments: [
            ("wrning", "warning"), ("warrning", "warning"), ("warming", "warning"), ("wanrnig", "warning"),
            // Three letters: one mistake. Two neighbours that are swapped are one mistake, anywhere in the name.
            ("low", "now"), ("wol", nil), ("nwo", "now"), ("onw", "now"), ("own", nil), ("", nil),
        ] as [(String, String?)]
    )
    func close(name: String, suggested: String?) {
        var spelling = Spelling()
        let hint = spelling.hint(for: name, among: ["warning", "now"])
        #expect(hint == (suggested.map { "; did you mean \"\($0)\"?" } ?? ""))
    }

    @Test("among equally close names the first in alphabetical order is suggested, in any order of the names")
    func ties() {
        for known in [["cat", "bat", "rat"], ["rat", "cat", "bat"]] {
            var spelling = Spelling()
            #expect(spelling.hint(for: "hat", among: known) == "; did you mean \"bat\"?")
        }
    }
}
