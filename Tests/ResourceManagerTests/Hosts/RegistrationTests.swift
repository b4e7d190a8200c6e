import TestSupport
import Testing

@testable import ResourceManager

@Suite(.onTwoThreads)
struct RegistrationTests {
    /// A part of a service, with its own registration.
    private final class Part {
        var registration: Registration?
    }

    private final class Owner {}

    private let host = ControllerHost("h")

    @Test("an observer can end if its closure keeps an object with its own registration")
    func nested() {
        let kinds: [(_ body: @escaping () -> Void) -> Registration] = [
            { body in host.onMemoryWarning { _ in body() } },
            { body in host.onNotification(String.self) { _ in body() } },
            { body in host.onLevelChange { _ in body() } },
            { body in host.onFault { _ in body() } },
            { body in
                host.onCommand("c") { _ in
                    body()
                    return ""
                }
            },
        ]
        for register in kinds {
            weak var ended: Part?
            var outer: Registration?
            do {
                let part = Part()
                part.registration = register {}
                outer = register { withExtendedLifetime(part) {} }
                ended = part
            }
            #expect(ended != nil)
            outer?.cancel()
            #expect(ended == nil)
        }
    }

    @Test("observers without their owner are removed while the list grows, with the registrations in their closures")
    func nestedOfOwner() {
        weak var ended: Part?
        do {
            let owner = Owner()
            let part = Part()
            part.registration = host.onMemoryWarning { _ in }
            host.onMemoryWarning(of: owner) { _, _ in withExtendedLifetime(part) {} }
            ended = part
        }
        for _ in 0..<100 { host.onMemoryWarning(of: Owner()) { _, _ in } }
        #expect(ended == nil)
    }

    @Test("ended registrations leave no entries behind")
    func ended() {
        let list = HandlerList<Int>()
        let first = list.add { _ in }
        for _ in 0..<1000 { list.add { _ in }.cancel() }
        #expect(list.count == 1)
        first.cancel()
        #expect(list.isEmpty)
    }

    @Test("a closure is released with its host, even if its registration remains")
    func hostGone() {
        let list = HandlerList<Int>()
        weak var ended: Part?
        var registration: Registration?
        do {
            let list = HandlerList<Int>()
            let part = Part()
            registration = list.add { _ in withExtendedLifetime(part) {} }
            ended = part
        }
        #expect(ended == nil)
        registration?.cancel()
        #expect(list.isEmpty)
    }

    @Test("a handler that a call ends is not called again, and a handler that it registers waits for the next call")
    func changes() {
        let list = HandlerList<Int>()
        var heard: [String] = []
        var registrations: [Registration] = []
        var late: [Registration] = []
        registrations.append(
            list.add {
                heard.append("a\($0)")
                guard late.isEmpty else { return }
                registrations[1].cancel()
                for number in 0..<100 { late.append(list.add { heard.append("\(number) \($0)") }) }
                for registration in late.dropFirst() { registration.cancel() }
            }
        )
        registrations.append(list.add { heard.append("b\($0)") })
        registrations.append(list.add { heard.append("c\($0)") })
        list.callAll(1)
        #expect(heard == ["a1", "c1"])
        list.callAll(2)
        #expect(heard == ["a1", "c1", "a2", "c2", "0 2"])
    }
}
