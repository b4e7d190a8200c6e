import MemoryPressure
import MemwarnProgram
import MemwarnProtocol

/// What the things that were seen mean for watching memory pressure here.
struct Diagnosis: Encodable, Equatable {
    /// The worst of all findings, except that nothing is bad as long as the machine can be watched.
    let state: Finding.State
    /// Every check, in the order of how much depends on it.
    let findings: [Finding]

    init(_ seen: Surroundings) {
        let watching = Self.watching(seen)
        findings =
            [
                watching, Self.stalls(seen), Self.shortTrigger(seen), Self.trigger(seen), Self.memory(seen),
                Self.swap(seen),
            ]
            + Self.cgroups(seen) + Self.process(seen) + Self.daemon(seen) + Self.environment(seen)
        let isGood = findings.allSatisfy { $0.state == .good }
        state = watching.state == .bad ? .bad : isGood ? .good : .degraded
    }

    /// 0 all good, 1 degraded, 2 nothing can be watched.
    var exitCode: ExitStatus {
        switch state {
        case .good: .done
        case .degraded: .failed
        case .bad: .nothingToWatch
        }
    }

    /// One line for each finding, followed by the advice.
    var text: String {
        let width = findings.map(\.check.count).max() ?? 0
        let lines = findings.flatMap { finding in
            let check = finding.check + String(repeating: " ", count: width - finding.check.count)
            let state = finding.state.rawValue
            let blanks = String(repeating: " ", count: 8 - state.count)
            let first = "\(state)\(blanks)  \(check)  \(finding.seen)"
            let indentation = String(repeating: " ", count: width + 12)
            return [first] + (finding.advice.map { ["\(indentation)→ \($0)"] } ?? [])
        }
        return (lines + ["", summary]).joined(separator: "\n")
    }

    private var summary: String {
        let worse = findings.count { $0.state != .good }
        return switch state {
        case .good: "all good"
        case .degraded: "\(worse) of \(findings.count) checks could be better; the machine can be watched"
        case .bad: "nothing can be watched here"
        }
    }

    // MARK: - The machine

    /// The rung of the machine, and how late a stall is noticed there.
    private static func watching(_ seen: Surroundings) -> Finding {
        let plan = StallPlan()
        let (short, long) = ("\(seconds(plan.privilegedWindow))", "\(seconds(plan.window))")
        let better = "with CAP_SYS_RESOURCE a stall is noticed within \(short)"
        guard case .success = seen.stallTotal else {
            guard case .success = seen.memory else {
                return .bad(
                    "watching",
                    "nothing tells of memory pressure here",
                    "see the checks of psi and memory below"
                )
            }
            return .degraded(
                "watching",
                "the machine would be watched by how much memory is available, without any sign of stalls",
                "switch PSI on: then a stall is noticed within \(long), with CAP_SYS_RESOURCE within \(short)"
            )
        }
        if seen.shortTrigger == .worked {
            return .good(
                "watching",
                "the machine would be watched by privileged triggers; a stall is noticed within \(short)"
            )
        }
        if seen.trigger == .worked {
            return .degraded(
                "watching",
                "the machine would be watched by triggers; a stall is noticed up to \(long) late",
                better
            )
        }
        return .degraded(
            "watching",
            "the machine would be watched by polling: a wake-up every \(long), and a stall is noticed up to \(long) late",
            better
        )
    }

    private static func stalls(_ seen: Surroundings) -> Finding {
        switch seen.stallTotal {
        case .success(let total):
            return .good("psi", "the kernel counts memory stalls: \(Milliseconds(microseconds: total)) since boot")
        case .failure(let error):
            // ENOENT and EOPNOTSUPP: without PSI in the kernel the file is missing; with PSI switched off it may exist.
            let advice =
                error.isMissing || error.isSwitchedOff
                ? "boot with psi=1; the kernel has to be built with CONFIG_PSI" : "let this user read the file"
            return .bad("psi", "\(error)", advice)
        }
    }

    private static func shortTrigger(_ seen: Surroundings) -> Finding {
        let window = seconds(StallPlan().privilegedWindow)
        switch seen.shortTrigger {
        case .worked: return .good("privileged trigger", "a window of \(window) is accepted")
        case .failed(let error):
            let advice =
                error.isRefusedForPrivilege
                ? "run with CAP_SYS_RESOURCE, as the packaged unit does" : writingAdvice(error)
            return .degraded("privileged trigger", "\(error)", advice)
        }
    }

    private static func trigger(_ seen: Surroundings) -> Finding {
        let window = seconds(StallPlan().window)
        switch seen.trigger {
        case .worked: return .good("trigger", "a window of \(window) is accepted")
        case .failed(let error): return .degraded("trigger", "\(error)", writingAdvice(error))
        }
    }

    private static func memory(_ seen: Surroundings) -> Finding {
        switch seen.memory {
        case .success(let memory):
            let figures = "\(ByteCount(memory.available)) of \(ByteCount(memory.total)), \(memory.headroom)"
            return .good("memory", "available \(figures)")
        case .failure(let error):
            return .bad("memory", "\(error)", "headroom cannot be watched without it; is /proc mounted?")
        }
    }

    private static func swap(_ seen: Surroundings) -> Finding {
        switch seen.swap {
        case .some(0):
            return .degraded(
                "swap",
                "there is none: without it stalls begin late, and headroom has to warn instead",
                "add a little swap or zram, so that the kernel can reclaim before memory has run out"
            )
        case .some(let bytes): return .good("swap", "\(ByteCount(bytes))")
        case nil: return .degraded("swap", "whether there is any is not known", "see the check of memory")
        }
    }

    /// What to do about a pressure file that cannot be written.
    static func writingAdvice(_ error: KernelError) -> String {
        if error.isReadOnly { return "leave out what mounts it read-only, such as ProtectControlGroups= of a unit" }
        if error.isDenied { return "run as root or with CAP_DAC_OVERRIDE, as the packaged unit does" }
        if error.isMissing || error.isSwitchedOff { return "see the check of psi" }
        return "the stalls are polled instead"
    }

    /// `0.5 s`, `2 s`.
    private static func seconds(_ duration: Duration) -> String {
        let tenths = duration.milliseconds / 100
        return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
    }
}
