import CLinux
import TestSupport
import Testing

@testable import Systemd

// Exit tests, because the environment and standard error belong to the whole process.
struct JournalTests {
    @Test func anEntryIsOneLineOnStandardError() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            unsetenv("JOURNAL_STREAM")
            let journal = Journal(prefix: "memwarnd: ")
            journal.log(.warning, "host \"a\nmemwarnd: b\" is silent", fields: [("HOST", "a\nb")])
            journal.log(.info, "second")
        }
        let lines = #"memwarnd: host "a\nmemwarnd: b" is silent"# + "\nmemwarnd: second\n"
        #expect(result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } == lines)
    }

    @Test("entries less urgent than the minimum are neither written nor evaluated")
    func minimum() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            unsetenv("JOURNAL_STREAM")
            var journal = Journal(minimum: .notice)
            func evaluated() -> String {
                Issue.record("the message was evaluated")
                return "no"
            }
            journal.log(.error, "error")
            journal.log(.notice, "notice")
            journal.log(.info, evaluated())
            journal.minimum = .debug
            journal.log(.debug, "debug")
        }
        #expect(result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } == "error\nnotice\ndebug\n")
    }

    @Test("the journal's stream has to be the one of standard error", arguments: ["0:0", "8:", "", "nonsense"])
    func anotherStream(_ stream: String) async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) { [stream] in
            setenv("JOURNAL_STREAM", stream, 1)
            Journal().log(.info, "here")
        }
        #expect(result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } == "here\n")
    }

    @Test func anEntryThatCannotBeWrittenIsDropped() async {
        await #expect(processExitsWith: .success) {
            unsetenv("JOURNAL_STREAM")
            _ = signal(SIGPIPE, SIG_IGN)
            let aside = dup(STDERR_FILENO)

            let pipe = try Pipe()
            dup2(pipe.writer, STDERR_FILENO)
            let journal = Journal()
            // More than a pipe holds: the later lines cause EAGAIN.
            for _ in 0..<100 { journal.log(.info, String(repeating: "x", count: 4000)) }
            // The next one causes EPIPE.
            pipe.closeReader()
            journal.log(.info, "the pipe has no reader")
            dup2(aside, STDERR_FILENO)
        }
    }

    @Test("a pipe without a reader blocks nothing, and a line that does not fit may be written again later")
    func fullPipe() async {
        await #expect(processExitsWith: .success) {
            unsetenv("JOURNAL_STREAM")
            let aside = dup(STDERR_FILENO)
            let pipe = try Pipe()
            _ = fcntl(pipe.writer, F_SETFL, 0)
            dup2(pipe.writer, STDERR_FILENO)
            let line = String(repeating: "x", count: 10_000)
            // More than a pipe holds.
            let taken = (0..<100).prefix { _ in Journal().log(.info, line) }
            var kept: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while case let count = read(pipe.reader, &buffer, buffer.count), count > 0 { kept += buffer.prefix(count) }
            let again = Journal().log(.info, "again")
            dup2(aside, STDERR_FILENO)
            #expect((1..<100).contains(taken.count))
            #expect(again)
            // A long line, including its end, is cut to the size that a pipe accepts in one piece.
            #expect(kept.split(separator: UInt8(ascii: "\n")).allSatisfy { $0.count == Int(PIPE_BUF) - 1 })
            #expect(kept.count == taken.count * Int(PIPE_BUF))
        }
    }

    @Test("a journal that does not read blocks nothing, and receives entries that are sent again later")
    func fullQueue() throws {
        let folder = try TemporaryDirectory()
        let journald = try UnixSocket(folder.path + "/socket")
        let journal = Journal(socket: folder.path + "/socket")
        let taken = (0..<100_000).prefix { journal.log(.info, "entry \($0)") }
        #expect(taken.count < 100_000)
        #expect(journald.receiveText()?.hasPrefix("MESSAGE=entry 0\nPRIORITY=6\nSYSLOG_IDENTIFIER=") == true)
        while journald.receive() != nil {}
        #expect(journal.log(.info, "again"))
        #expect(journald.receiveText()?.hasPrefix("MESSAGE=again\n") == true)
    }

    @Test("an entry is dropped if there is no journal, or if it is larger than the journal accepts")
    func dropped() throws {
        let folder = try TemporaryDirectory()
        let journal = Journal(socket: folder.path + "/socket")
        #expect(journal.log(.info, "there is no journal"))
        let journald = try UnixSocket(folder.path + "/socket")
        #expect(journal.log(.info, String(repeating: "x", count: 4 << 20)))
        #expect(journald.receive() == nil)
        #expect(journal.log(.info, "found"))
        #expect(journald.receiveText()?.hasPrefix("MESSAGE=found\n") == true)
    }

    @Test(
        "if standard error goes to the journal, it gets structured entries",
        .enabled(if: PrivateMounts.areAllowed, "needs a mount namespace of its own (CAP_SYS_ADMIN)")
    )
    func structured() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            try PrivateMounts.enter(emptying: "/run")
            mkdir("/run/systemd", 0o755)
            mkdir("/run/systemd/journal", 0o755)
            let journald = try UnixSocket("/run/systemd/journal/socket")
            var status = stat()
            fstat(STDERR_FILENO, &status)
            setenv("JOURNAL_STREAM", "\(status.st_dev):\(status.st_ino)", 1)

            let journal = Journal(prefix: "memwarnd: ")
            let fields: [Journal.Field] = [("SCOPE", "/system.slice"), ("HOST", "a\nb"), ("EMPTY", "")]
            journal.log(.warning, "one\ntwo", messageID: "8d45620c1a4348dbb17410da57c60c66", fields: fields)
            let entry = try #require(journald.receive())
            // The wire format of systemd's JOURNAL_NATIVE_PROTOCOL: a value with a line break is sent with its length.
            let text = String(decoding: entry, as: UTF8.self)
            #expect(text.hasPrefix("MESSAGE=one\\ntwo\nPRIORITY=4\nMESSAGE_ID=8d45620c1a4348dbb17410da57c60c66\n"))
            #expect(text.contains("\nSCOPE=/system.slice\nHOST\n\u{3}\0\0\0\0\0\0\0a\nb\nEMPTY=\n"))
            #expect(journald.receive() == nil)
        }
        #expect(result?.standardErrorContent == [])
    }

    @Test(
        "a field name that the journal would drop is a programming error",
        arguments: ["", "lower", "_HIDDEN", "1ST", "A B", "A=B"] as [String]
    )
    func fieldNames(_ name: String) async {
        await #expect(processExitsWith: .failure) { [name] in
            _ = JournalEntry(.info, "", messageID: nil, fields: [(constant(name), "")])
        }
    }

    @Test(arguments: ["", "8D45620C1A4348DBB17410DA57C60C66", "8d45620c-1a43-48db-b174-10da57c60c66"])
    func aMessageIDOfAnotherFormIsAMistakeInTheProgram(_ text: String) async {
        await #expect(processExitsWith: .failure) { [text] in
            _ = JournalEntry(.info, "", messageID: constant(text), fields: [])
        }
    }
}

/// The constants of the tables above; a `StaticString` cannot be passed to a child process.
private func constant(_ text: String) -> StaticString {
    switch text {
    case "lower": "lower"
    case "_HIDDEN": "_HIDDEN"
    case "1ST": "1ST"
    case "A B": "A B"
    case "A=B": "A=B"
    case "8D45620C1A4348DBB17410DA57C60C66": "8D45620C1A4348DBB17410DA57C60C66"
    case "8d45620c-1a43-48db-b174-10da57c60c66": "8d45620c-1a43-48db-b174-10da57c60c66"
    default: ""
    }
}
