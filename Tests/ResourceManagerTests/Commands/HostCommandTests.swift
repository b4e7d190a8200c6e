import MemwarnProtocol
import Testing

@testable import ResourceManager

struct HostCommandTests {
    private let stage = Stage()

    private struct Broken: Error, CustomStringConvertible {
        let description: String
    }

    @Test("an action of the command's name is called, and what it returns is the answer")
    func done() {
        let registration = stage.host.onCommand("reload") { "\($0.name) \($0.argument)" }
        #expect(stage.host.perform(Command("reload", argument: "all")) == .done("reload all"))
        #expect(stage.host.perform(Command("Reload")) == .unhandled)
        registration.cancel()
    }

    @Test("what an action throws is why the command failed")
    func failed() {
        let registration = stage.host.onCommand("reload") { _ in throw Broken(description: "disk full") }
        #expect(stage.host.perform(Command("reload")) == .failed("disk full"))
        registration.cancel()
    }

    @Test("of two actions for a name the newer one is called, and the older one again when that is gone")
    func newest() {
        let older = stage.host.onCommand("status") { _ in "older" }
        let newer = stage.host.onCommand("status") { _ in "newer" }
        let other = stage.host.onCommand("other") { _ in "other" }
        #expect(stage.host.perform(Command("status")) == .done("newer"))
        newer.cancel()
        #expect(stage.host.perform(Command("status")) == .done("older"))
        older.cancel()
        #expect(stage.host.perform(Command("status")) == .unhandled)
        other.cancel()
    }

    @Test("an action may end its own registration, register another one, and give another command")
    func reentrant() {
        let host = stage.host
        var registrations: [Registration] = []
        registrations.append(
            host.onCommand("first") { [unowned host] _ in
                registrations.removeAll()
                registrations.append(host.onCommand("second") { _ in "second" })
                return "\(host.perform(Command("first"))) \(host.perform(Command("second")))"
            }
        )
        #expect(host.perform(Command("first")) == .done(#"unhandled done("second")"#))
    }

    @Test(
        "an answer that is too long or has a NUL is made to fit its field",
        arguments: [
            (String(repeating: "x", count: 3000), String(repeating: "x", count: 2048)),
            (String(repeating: "ü", count: 1500), String(repeating: "ü", count: 1024)),
            ("x" + String(repeating: "ü", count: 1500), "x" + String(repeating: "ü", count: 1023)),
            ("a\0b\0", "a\u{FFFD}b\u{FFFD}"),
            (String(repeating: "\0", count: 2048), String(repeating: "\u{FFFD}", count: 682)),
            ("", ""),
        ]
    )
    func answers(answer: String, sent: String) {
        #expect(CommandOutcome.done(answer).reply.text == sent)
        #expect(CommandOutcome.failed(answer).reply.text == sent)
    }
}
