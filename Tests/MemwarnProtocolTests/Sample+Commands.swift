import MemwarnProtocol

extension Sample {
    static let commands = [
        Sample(
            "command",
            sequence: 12,
            .command(CommandRequest(name: "reload", argument: "thumbnails"))
        ),
        Sample(
            "outcome",
            sequence: 12,
            .outcome(CommandReply(result: .failed, text: "disk full"))
        ),
        Sample(
            "send-name",
            sequence: 5,
            .send(Send(to: .name("gallery"), CommandRequest(name: "reload", argument: "thumbnails"), deadline: 250))
        ),
        Sample(
            "send-id",
            sequence: 6,
            .send(Send(to: .id(7), CommandRequest(name: "status", argument: "all"), deadline: 60_000))
        ),
        Sample(
            "command-record-silent",
            sequence: 5,
            .commandRecord(CommandRecord(.silent))
        ),
        Sample(
            "command-record",
            sequence: 5,
            .commandRecord(CommandRecord(.failed, "disk full"))
        ),
    ]
}

extension CommandRecord {
    fileprivate init(_ outcome: Outcome, _ text: String = "") {
        self.init {
            $0.id = 7
            $0.pid = 4711
            $0.outcome = outcome
            $0.name = "gallery"
            $0.text = text
        }
    }
}
