import CLinux
import MemoryPressure
import TestSupport
import Testing

/// Tests with the real kernel.
///
/// They run one at a time, because they stall the machine that they measure.
@Suite(.serialized, .enabled(if: RealPressure.missing == nil, "\(RealPressure.missing ?? "")"))
struct RealPressureTests {
    private func wait(for descriptors: [CInt], milliseconds: CInt) -> [Int16] {
        var requests = descriptors.map { pollfd(fd: $0, events: Int16(POLLPRI)) }
        poll(&requests, nfds_t(requests.count), milliseconds)
        return requests.map(\.revents)
    }

    @Test func aStalledCgroupRaisesTheLevel() throws {
        let group = try PressureGroup("stall", limit: 24)
        let pressure = group.directory + "/memory.pressure"
        let watch = try StallWatch(opening: pressure)
        var now = MonotonicInstant.now
        var machine = LevelMachine(at: now)
        var meter = StallMeter(
            rung: watch.rung,
            window: watch.window,
            plan: StallPlan(),
            first: try watch.read(),
            at: now
        )
        let thrash = try group.thrash(seconds: 20)

        let deadline = now.advanced(by: .seconds(18))
        while machine.level < .critical, now < deadline {
            let events = wait(for: watch.triggers.map(\.descriptor), milliseconds: 5_000)
            now = .now
            for (trigger, revents) in zip(watch.triggers, events) where revents != 0 {
                try #require(revents & Int16(POLLERR) == 0)
                if let stalls = meter.event(trigger.kind, try watch.read(), at: now) {
                    _ = machine.feed(PressureReading(at: now, stalls: stalls))
                }
            }
        }
        #expect(machine.level == .critical)
        #expect(meter.suppressed == 0, "a fresh cgroup's counters start at zero")
        thrash.send(SIGKILL)
        _ = thrash.wait()
    }

    @Test("an unprivileged trigger's false first event is provoked, and is not believed")
    func falseFirstEvent() throws {
        let group = try PressureGroup("false-event", limit: 24)
        let pressure = group.directory + "/memory.pressure"
        // The group stalls first, and recovers: now the counter has a past.
        let past = try group.thrash(seconds: 5)
        _ = past.wait()
        let plan = StallPlan()
        let watch = try StallWatch(opening: pressure, plan: unprivileged(plan))
        let first = try watch.read()
        try #require(first.total(.some) > 500_000, "no stall was made")
        var meter = StallMeter(rung: watch.rung, window: watch.window, plan: plan, first: first, at: .now)

        // The smallest growth makes the kernel compare with the counter's value from before the trigger was armed.
        let touch = try group.thrash(seconds: 1, mebibytes: 32, children: 1)
        _ = touch.wait()
        let events = wait(for: watch.triggers.map(\.descriptor), milliseconds: 5_000)
        let woken = zip(watch.triggers, events).filter { $0.1 & Int16(POLLPRI) != 0 }
        let growth = try watch.read()
        var believed: [PressureStall.Kind] = []
        for (trigger, _) in woken where meter.event(trigger.kind, growth, at: .now) != nil {
            believed.append(trigger.kind)
        }
        for kind in PressureStall.Kind.allCases
        where growth.total(kind) - first.total(kind) < plan.threshold(kind, in: watch.window).microseconds {
            #expect(!believed.contains(kind), "\(kind) grew by \(growth.total(kind) - first.total(kind)) µs only")
        }
        // A kernel that initialises its triggers correctly sends no false event, so there is nothing to suppress.
        #expect(meter.suppressed == UInt64(woken.count - believed.count))
    }

    @Test("removing a watched cgroup causes POLLERR on every trigger and ENODEV when reading")
    func removal() throws {
        var group: PressureGroup? = try PressureGroup("removed", limit: 24)
        let watch = try StallWatch(opening: try #require(group).directory + "/memory.pressure")
        group = nil
        let events = wait(for: watch.triggers.map(\.descriptor), milliseconds: 2_000)
        #expect(events.count == (watch.rung != .polling ? 2 : 0), "\(watch.rungReason)")
        #expect(events.allSatisfy { $0 & Int16(POLLERR) != 0 })
        let error = #expect(throws: KernelError.self) { _ = try watch.read() }
        #expect(error?.errno == ENODEV)
    }

    @Test func eventsThatWereNotPolledCanBeDiscarded() throws {
        let group = try PressureGroup("pending", limit: 24)
        let watch = try StallWatch(opening: group.directory + "/memory.pressure")
        let thrash = try group.thrash(seconds: 5)
        _ = thrash.wait()
        try #require(watch.read().total(.some) > 500_000, "no stall was made")
        watch.discardPendingEvents()
        let events = wait(for: watch.triggers.map(\.descriptor), milliseconds: 0)
        #expect(events == (watch.rung != .polling ? [0, 0] : []), "\(watch.rungReason)")
    }

    /// A plan whose short window is one that every process may request.
    private func unprivileged(_ plan: StallPlan) -> StallPlan {
        var plan = plan
        plan.privilegedWindow = plan.window
        return plan
    }
}
