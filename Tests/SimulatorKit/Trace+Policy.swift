import MemoryPressure
import MemwarnProtocol
import WarningPolicy

// The kind and the numbers of every input and effect.
extension Trace {
    mutating func mix(_ input: WarningPolicy.Input, at now: UInt64) {
        mix(now)
        switch input {
        case .started: mix(10)
        case .opened(let scope, let opening):
            mix(11, scope)
            switch opening {
            case .opened(let files):
                mix(UInt64(files.rung.rawValue), UInt64(files.triggers.rawValue))
                mix(files.first)
            case .failed(let error): mix(UInt64(error.errno))
            }
        case .fired(let scope, let trigger): mix(12, scope, UInt64(TriggerSet(trigger).rawValue))
        case .read(let scope, let readings):
            mix(13, scope)
            mix(readings)
        case .unreadable(let scope, let error): mix(14, scope, UInt64(error.errno))
        case .deaf(let scope): mix(15, scope)
        case .limitsMoved(let scope): mix(16, scope)
        case .accountingMoved(let scope): mix(17, scope)
        case .populationMoved(let scope): mix(18, scope)
        case .patternsChanged: mix(19)
        case .cgroupAppeared(let place):
            mix(20)
            mix(place.name)
        case .cgroupVanished(let path):
            mix(21)
            mix(path)
        case .registered(let newcomer, let sequence):
            mix(22, newcomer.id, UInt64(bitPattern: Int64(newcomer.connection)), sequence)
        case .left(let host): mix(23, host)
        case .located(let hosts):
            mix(24)
            for (host, location) in hosts {
                mix(host)
                switch location {
                case .found(let place): mix(place.name)
                case .unknown(let error): mix(UInt64(error.errno))
                }
            }
        case .answered(let host, let round, let answer): mix(25, host, round, answer.released, answer.releasable)
        case .undelivered(let host, let round): mix(26, host, round)
        case .sent(let round): mix(27, round)
        case .looked(let round, let look):
            mix(28, round, look?.stalls?.total(.some) ?? 1, look?.headroom?.used ?? 1)
        case .hasRoom(let connection, let host): mix(29, UInt64(bitPattern: Int64(connection)), host ?? 0)
        case .simulate(let request, let client, _): mix(30, UInt64(request.level.rawValue), UInt64(client.uid))
        case .send(_, let client, _): mix(31, UInt64(client.uid))
        case .replied(let host, let command, _): mix(32, host, command)
        case .commandUndelivered(let host, let command): mix(33, host, command)
        case .took(let command, let count): mix(34, command, UInt64(count))
        case .clientLeft(let connection): mix(35, UInt64(bitPattern: Int64(connection)))
        case .refused(let code): mix(36, UInt64(code.rawValue))
        case .settings: mix(37)
        case .settingsRefused: mix(38)
        case .elapsed: mix(39)
        }
    }

    private mutating func mix(_ readings: SensorReadings) {
        mix(
            readings.stalls?.total(.some) ?? 1,
            readings.stalls?.total(.full) ?? 1,
            readings.limitEvents.map { $0.high << 32 ^ $0.max } ?? 1,
            readings.headroom?.used ?? 1,
            readings.headroom?.limit.bytes ?? 1,
            readings.reclaim?.scanned ?? 1
        )
    }

    mutating func mix(_ effect: Effects.Effect) {
        switch effect {
        case .warn(let round, let warning, let range):
            mix(50, round, UInt64(warning.level.rawValue), UInt64(warning.options.rawValue), UInt64(range.count))
        case .command(_, let number, let range): mix(51, number, UInt64(range.count))
        case .awaitRoom(let connection): mix(52, UInt64(bitPattern: Int64(connection)))
        case .open(let scope, _, _): mix(53, scope)
        case .read(let scope, let reads): mix(54, scope, UInt64(reads.rawValue))
        case .listen(let scope, let triggers): mix(55, scope, UInt64(triggers.rawValue))
        case .close(let scope): mix(56, scope)
        case .look(let scope, let round): mix(57, scope, round)
        case .reply(let connection, let sequence, _): mix(58, UInt64(bitPattern: Int64(connection)), sequence)
        case .report(let command, _, _, let messages): mix(59, command, UInt64(messages.count))
        case .noteLevel(let scope, _): mix(60, scope)
        case .noteRound(let record, let withheld):
            mix(61, record.id, UInt64(record.answered), record.released, withheld ?? .max)
        case .noteLoss(let path, let hosts, let withheld):
            mix(62, UInt64(hosts), withheld)
            mix(path)
        case .noteScope(let scope, _): mix(63, scope)
        case .noteOldThresholds(let error): mix(64, UInt64(error.errno))
        case .noteHost(let record): mix(65, record.id)
        case .noteCommand: mix(66)
        case .locate(let hosts):
            mix(67)
            for host in hosts { mix(host) }
        case .save: mix(68)
        }
    }
}
