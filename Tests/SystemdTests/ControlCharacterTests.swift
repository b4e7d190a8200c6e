import Testing

@testable import Systemd

struct ControlCharacterTests {
    @Test(
        "a text becomes one line that cannot control a terminal",
        arguments: [
            ("", ""),
            ("plain, with é and 🦆", "plain, with é and 🦆"),
            ("a\nb", "a\\nb"),
            ("a\r\nb", "a\\r\\nb"),
            ("a\tb", "a\\tb"),
            ("\u{1b}[31mred", "\\u{1b}[31mred"),
            ("nul\0", "nul\\u{0}"),
            ("\u{7f}\u{9b}", "\\u{7f}\\u{9b}"),
            ("a\u{2028}b\u{2029}c", "a\\u{2028}b\\u{2029}c"),
            ("abc\u{202E}cba", "abc\\u{202e}cba"),
        ]
    )
    func escapes(_ text: String, _ expected: String) {
        #expect(text.escapingControlCharacters == expected)
    }
}
