import MemwarnProtocol
import Testing

extension RawPeer {
    /// Requests a command with a deadline that no loaded machine misses.
    func order(
        _ target: Send.Target,
        _ name: String = "do",
        argument: String = "",
        deadline: UInt32 = 60_000,
        sequence: UInt64 = 4
    ) throws {
        let command = CommandRequest(name: name, argument: argument)
        try send(.send(Send(to: target, command, deadline: deadline)), sequence: sequence)
    }

    /// The next command and its number.
    func command() throws -> (number: UInt64, command: CommandRequest) {
        let frame = try next()
        guard case .command(let command) = frame.message else { throw Unexpected("\(frame) instead of a command") }
        return (frame.sequence, command)
    }

    /// Receives the next command and reports its outcome.
    func perform(_ result: CommandReply.Result = .done, _ text: String = "") throws {
        try send(.outcome(CommandReply(result: result, text: text)), sequence: command().number)
    }

    /// The next record of a command that was requested.
    func commandRecord(sequence: UInt64 = 4) throws -> CommandRecord {
        let frame = try next()
        guard case .commandRecord(let record) = frame.message, frame.sequence == sequence else {
            throw Unexpected("\(frame) instead of what became of a command")
        }
        return record
    }

    /// The records up to the end, and the number of records that were lost.
    func commandRecords(sequence: UInt64 = 4) throws -> (records: [CommandRecord], missed: UInt64) {
        var records: [CommandRecord] = []
        var missed: UInt64 = 0
        while true {
            let frame = try next()
            try #require(frame.sequence == sequence, "\(frame)")
            switch frame.message {
            case .commandRecord(let record): records.append(record)
            case .missed(let lost): missed += lost.count
            case .end(let end):
                try #require(end.next == 0)
                return (records, missed)
            default: throw Unexpected("\(frame) instead of what became of a command")
            }
        }
    }
}
