import MemoryPressure
import MemwarnProtocol
import WarningPolicy

/// The branches of the policy that one input and its effects show; they reveal which seeds reach which branch.
package enum Branch: UInt8, CaseIterable, Sendable {
    case warning, critical, relief, repeated, simulated
    /// A round continues with its next stage, or ends before its last.
    case nextStage, earlyEnd
    /// A host is told the round that it was owed, after its answer or after its deadline.
    case debtAfterAnswer, debtAfterSilence
    case silentHost, undeliverable, undelivered, caughtUp
    /// An answer for which no round waits.
    case answerUncounted
    case opened, openFailed, retried
    case lostFiles, unreadable, headroomUnreadable
    case listens, listensLess
    case stallEvent, limitEvent
    case limitsMoved, accountingMoved, populationMoved
    case located, locatedInVain
    case scopeLost, scopeClosed, configured
    case newRules, rulesRefused, oldThresholds
    case refused, command, commandUndelivered, commandReported
}

/// The branches that a run has reached.
struct Reached {
    private(set) var branches: UInt64 = 0

    private mutating func reach(_ branch: Branch) { branches |= 1 << UInt64(branch.rawValue) }

    private mutating func reach(_ branch: Branch, if isReached: Bool) {
        if isReached { reach(branch) }
    }

    /// Records the branches that an input and its effects show.
    mutating func note(_ input: WarningPolicy.Input, _ effects: [Effects.Effect]) {
        note(input, hasEffects: !effects.isEmpty)
        for effect in effects { note(effect, after: input) }
    }

    private mutating func note(_ input: WarningPolicy.Input, hasEffects: Bool) {
        switch input {
        case .undelivered: reach(.undelivered)
        case .answered: reach(.answerUncounted, if: !hasEffects)
        case .opened(_, .opened): reach(.opened)
        case .opened(_, .failed): reach(.openFailed)
        case .unreadable: reach(.unreadable)
        case .read(_, let readings): reach(.headroomUnreadable, if: readings.failed.contains(.headroom))
        case .fired(_, .limits): reach(.limitEvent)
        case .fired: reach(.stallEvent)
        case .limitsMoved: reach(.limitsMoved)
        case .accountingMoved: reach(.accountingMoved)
        case .populationMoved: reach(.populationMoved)
        case .located(let hosts):
            for (_, location) in hosts {
                if case .found = location { reach(.located) } else { reach(.locatedInVain) }
            }
        case .settings: reach(.newRules)
        case .settingsRefused: reach(.rulesRefused)
        case .refused: reach(.refused)
        case .commandUndelivered: reach(.commandUndelivered)
        default: break
        }
    }

    private mutating func note(_ effect: Effects.Effect, after input: WarningPolicy.Input) {
        switch effect {
        case .warn(_, let warning, _):
            reach(warning.level == .normal ? .relief : warning.level == .warning ? .warning : .critical)
            reach(.repeated, if: warning.options.contains(.repeated))
            reach(.simulated, if: warning.options.contains(.simulated))
            switch input {
            case .looked: reach(.nextStage)
            case .answered: reach(.debtAfterAnswer)
            case .elapsed: reach(.debtAfterSilence)
            case .hasRoom: reach(.caughtUp)
            default: break
            }
        case .noteRound(let round, _):
            reach(.silentHost, if: round.silent > 0)
            reach(.undeliverable, if: round.undeliverable > 0)
            reach(.earlyEnd, if: round.stage < round.stages)
        case .open:
            switch input {
            case .elapsed: reach(.retried)
            case .unreadable: reach(.lostFiles)
            default: break
            }
        case .listen(_, let triggers): reach(triggers.rawValue == 0 ? .listensLess : .listens)
        case .noteLoss: reach(.scopeLost)
        case .close: reach(.scopeClosed)
        case .noteScope: reach(.configured)
        case .noteOldThresholds: reach(.oldThresholds)
        case .command: reach(.command)
        case .report: reach(.commandReported)
        default: break
        }
    }
}
