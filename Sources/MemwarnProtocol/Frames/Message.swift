/// What a frame says.
public enum Message: Equatable, Sendable {
    /// Host to daemon: register me.
    case hello(Hello)
    /// Daemon to host: you are registered.
    case welcome(Welcome)
    /// Daemon to host: did receive memory warning.
    case warning(Warning)
    /// Host to daemon: what I gave back.
    case acknowledgement(Acknowledgement)
    /// Daemon to host: do this.
    case command(CommandRequest)
    /// Host to daemon: what became of a command.
    case outcome(CommandReply)
    /// Daemon to any peer: no.
    case error(Refusal)
    /// Client to daemon: list one section.
    case query(Query)
    /// Client to daemon: send a warning without pressure.
    case simulate(Simulate)
    /// Client to daemon: have hosts do this.
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
    /// Daemon to client: the records that were asked for are through.
    case end(End)
    /// Daemon to client: records were dropped because you did not read them.
    case missed(Missed)
    /// Daemon to client: what became of a command at one host.
    case commandRecord(CommandRecord)
    /// Daemon to client: what the daemon has counted since it started.
    case counters(CountersRecord)
}

/// The number that stands for a message in the header.
enum MessageType: UInt8 {
    case hello = 1
    case welcome = 2
    case warning = 3
    case acknowledgement = 4
    case error = 5
    case command = 6
    case outcome = 7
    case query = 16
    case simulate = 17
    case subscribe = 18
    case send = 19
    case daemon = 32
    case scope = 33
    case host = 34
    case round = 35
    case end = 36
    case missed = 37
    case commandRecord = 38
    case counters = 39
}

extension Message {
    var type: MessageType {
        switch self {
        case .hello: .hello
        case .welcome: .welcome
        case .warning: .warning
        case .acknowledgement: .acknowledgement
        case .command: .command
        case .outcome: .outcome
        case .error: .error
        case .query: .query
        case .simulate: .simulate
        case .send: .send
        case .subscribe: .subscribe
        case .daemon: .daemon
        case .scope: .scope
        case .host: .host
        case .round: .round
        case .end: .end
        case .missed: .missed
        case .commandRecord: .commandRecord
        case .counters: .counters
        }
    }

    init(_ type: MessageType, from reader: inout FrameReader) throws(FrameError) {
        switch type {
        case .hello: self = .hello(try Hello(from: &reader))
        case .welcome: self = .welcome(try Welcome(from: &reader))
        case .warning: self = .warning(try Warning(from: &reader))
        case .acknowledgement: self = .acknowledgement(try Acknowledgement(from: &reader))
        case .command: self = .command(try CommandRequest(from: &reader))
        case .outcome: self = .outcome(try CommandReply(from: &reader))
        case .error: self = .error(try Refusal(from: &reader))
        case .query: self = .query(try Query(from: &reader))
        case .simulate: self = .simulate(try Simulate(from: &reader))
        case .send: self = .send(try Send(from: &reader))
        case .subscribe: self = .subscribe
        case .daemon: self = .daemon(try DaemonRecord(from: &reader))
        case .scope: self = .scope(try ScopeRecord(from: &reader))
        case .host: self = .host(try HostRecord(from: &reader))
        case .round: self = .round(try RoundRecord(from: &reader))
        case .end: self = .end(try End(from: &reader))
        case .missed: self = .missed(try Missed(from: &reader))
        case .commandRecord: self = .commandRecord(try CommandRecord(from: &reader))
        case .counters: self = .counters(try CountersRecord(from: &reader))
        }
    }

    func write(to writer: inout FrameWriter) throws(FrameError) {
        switch self {
        case .hello(let hello): try hello.write(to: &writer)
        case .welcome(let welcome): try welcome.write(to: &writer)
        case .warning(let warning): try warning.write(to: &writer)
        case .acknowledgement(let acknowledgement): try acknowledgement.write(to: &writer)
        case .command(let command): try command.write(to: &writer)
        case .outcome(let reply): try reply.write(to: &writer)
        case .error(let refusal): try refusal.write(to: &writer)
        case .query(let query): try query.write(to: &writer)
        case .simulate(let simulate): try simulate.write(to: &writer)
        case .send(let send): try send.write(to: &writer)
        case .subscribe: break
        case .daemon(let record): try record.write(to: &writer)
        case .scope(let record): try record.write(to: &writer)
        case .host(let record): try record.write(to: &writer)
        case .round(let record): try record.write(to: &writer)
        case .end(let end): try end.write(to: &writer)
        case .missed(let missed): try missed.write(to: &writer)
        case .commandRecord(let record): try record.write(to: &writer)
        case .counters(let record): try record.write(to: &writer)
        }
    }
}
