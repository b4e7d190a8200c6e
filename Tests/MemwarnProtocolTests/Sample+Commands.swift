import MemwarnProtocol

extension Sample {
    static let commands = [
        Sample(
            "command",
            sequence: 12,
            .command(CommandRequest(name: "reload", argument: "thumbnails")),
            """
            01 06 00 00 24 00 00 00 0c 00 00 00 00 00 00 00
            06 00 72 65 6c 6f 61 64 0a 00 74 68 75 6d 62 6e 61 69 6c 73
            """
        ),
        Sample(
            "outcome",
            sequence: 12,
            .outcome(CommandReply(result: .failed, text: "disk full")),
            """
            01 07 00 00 1c 00 00 00 0c 00 00 00 00 00 00 00
            01 09 00 64 69 73 6b 20 66 75 6c 6c
            """
        ),
        Sample(
            "send name",
            sequence: 5,
            .send(Send(to: .name("gallery"), CommandRequest(name: "reload", argument: "thumbnails"), deadline: 250)),
            """
            01 13 00 00 3a 00 00 00 05 00 00 00 00 00 00 00
            01 00 00 00 00 00 00 00 00 fa 00 00 00 07 00 67 61 6c 6c 65 72 79 06 00 72 65 6c 6f 61 64 0a 00
            74 68 75 6d 62 6e 61 69 6c 73
            """
        ),
        Sample(
            "send id",
            sequence: 6,
            .send(Send(to: .id(7), CommandRequest(name: "status"))),
            """
            01 13 00 00 29 00 00 00 06 00 00 00 00 00 00 00
            02 07 00 00 00 00 00 00 00 00 00 00 00 00 00 06 00 73 74 61 74 75 73 00 00
            """
        ),
        Sample(
            "command record",
            sequence: 5,
            .commandRecord(CommandRecord(id: 7, pid: 4711, outcome: .silent, name: "gallery")),
            """
            01 26 00 00 28 00 00 00 05 00 00 00 00 00 00 00
            07 00 00 00 00 00 00 00 67 12 00 00 03 07 00 67 61 6c 6c 65 72 79 00 00
            """
        ),
        Sample(
            "command record with an answer",
            sequence: 5,
            .commandRecord(CommandRecord(id: 7, pid: 4711, outcome: .done, name: "gallery", text: "8 pictures")),
            """
            01 26 00 00 32 00 00 00 05 00 00 00 00 00 00 00
            07 00 00 00 00 00 00 00 67 12 00 00 00 07 00 67 61 6c 6c 65 72 79 0a 00 38 20 70 69 63 74 75 72
            65 73
            """
        ),
    ]
}
