/// The message of a frame.
package enum Message: Equatable, Sendable {
    /// Host to daemon: register me.
    case hello(Hello)
    /// Daemon to host: you are registered.
    case welcome(Welcome)
    /// Daemon to host: did receive memory warning.
    case warning(Warning)
    /// Host to daemon: the memory that I gave back.
    case acknowledgement(Acknowledgement)
    /// Daemon to host: do this.
    case command(CommandRequest)
    /// Host to daemon: the outcome of a command.
    case outcome(CommandReply)
    /// Daemon to any peer: a refusal.
    case error(Refusal)
    /// Client to daemon: list one section.
    case query(Query)
    /// Client to daemon: send a warning without pressure.
    case simulate(Simulate)
    /// Client to daemon: let hosts perform this command.
    case send(Send)
    /// Client to daemon: tell me every change from now on.
    case subscribe
    /// Daemon to client: the daemon itself.
    case daemon(DaemonRecord)
    /// Daemon to client: one scope.
    case scope(ScopeRecord)
    /// Daemon to client: one host.
    case host(HostRecord)
    /// Daemon to client: one round.
    case round(RoundRecord)
    /// Daemon to client: all requested records were sent.
    case end(End)
    /// Daemon to client: records were dropped because you did not read them.
    case missed(Missed)
    /// Daemon to client: the outcome of a command at one host.
    case commandRecord(CommandRecord)
    /// Daemon to client: the daemon's counters since its start.
    case counters(CountersRecord)
}

extension Message {
    init(_ type: MessageType, from reader: inout FrameReader) throws(FrameError) {
        switch type {
        case .hello: self = .hello(try reader.body())
        case .welcome: self = .welcome(try reader.body())
        case .warning: self = .warning(try reader.body())
        case .acknowledgement: self = .acknowledgement(try reader.body())
        case .command: self = .command(try reader.body())
        case .outcome: self = .outcome(try reader.body())
        case .error: self = .error(try reader.body())
        case .query: self = .query(try reader.body())
        case .simulate: self = .simulate(try reader.body())
        case .send: self = .send(try reader.body())
        case .subscribe: self = .subscribe
        case .daemon: self = .daemon(try reader.body())
        case .scope: self = .scope(try reader.body())
        case .host: self = .host(try reader.body())
        case .round: self = .round(try reader.body())
        case .end: self = .end(try reader.body())
        case .missed: self = .missed(try reader.body())
        case .commandRecord: self = .commandRecord(try reader.body())
        case .counters: self = .counters(try reader.body())
        }
    }

    func write(to writer: inout FrameWriter, sequence: UInt64) throws(FrameError) {
        switch self {
        case .hello(let hello): try writer.frame(.hello, sequence, hello)
        case .welcome(let welcome): try writer.frame(.welcome, sequence, welcome)
        case .warning(let warning): try writer.frame(.warning, sequence, warning)
        case .acknowledgement(let acknowledgement): try writer.frame(.acknowledgement, sequence, acknowledgement)
        case .command(let command): try writer.frame(.command, sequence, command)
        case .outcome(let reply): try writer.frame(.outcome, sequence, reply)
        case .error(let refusal): try writer.frame(.error, sequence, refusal)
        case .query(let query): try writer.frame(.query, sequence, query)
        case .simulate(let simulate): try writer.frame(.simulate, sequence, simulate)
        case .send(let send): try writer.frame(.send, sequence, send)
        case .subscribe: try writer.header(.subscribe, sequence)
        case .daemon(let record): try writer.frame(.daemon, sequence, record)
        case .scope(let record): try writer.frame(.scope, sequence, record)
        case .host(let record): try writer.frame(.host, sequence, record)
        case .round(let record): try writer.frame(.round, sequence, record)
        case .end(let end): try writer.frame(.end, sequence, end)
        case .missed(let missed): try writer.frame(.missed, sequence, missed)
        case .commandRecord(let record): try writer.frame(.commandRecord, sequence, record)
        case .counters(let record): try writer.frame(.counters, sequence, record)
        }
    }
}
