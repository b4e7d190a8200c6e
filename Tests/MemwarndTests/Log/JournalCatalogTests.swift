import CLinux
import MemoryPressure
import Systemd
import TestSupport
import Testing
import WarningPolicy

@testable import MemwarnProtocol
@testable import memwarnd

/// Compares `packaging/systemd/catalog/memwarnd.catalog` with the entries that the daemon writes.
struct JournalCatalogTests {
    private static let path = "systemd/catalog/memwarnd.catalog"

    /// The explanations by message ID.
    static func explanations() throws -> [String: String] {
        let entries = try PackagingFile.text(path).split(separator: "\n-- ").dropFirst()
        return Dictionary(uniqueKeysWithValues: entries.map { (String($0.prefix(32)), String($0.dropFirst(32))) })
    }

    /// The fields of one entry of each kind, by message ID.
    static func entries() throws -> [String: Set<String>] {
        let (journal, loop) = (try FakeJournal(), try EventLoop())
        let log = try DeferredLog(journal.journal, loop: loop)
        let peer = FrameSocket.Peer(pid: 7, uid: 8)
        log.started()
        log.stopped()
        log.reloaded("/etc/memwarnd/memwarnd.toml")
        log.reloadFailed("no")
        log.ignored("no")
        log.leftOut("no")
        log.tookOver(1, of: 2)
        log.closedUseless(["odd"])
        log.cannotKeep("no")
        log.notLocked("no")
        log.opened("door", at: "/run")
        log.closed("door", "no")
        log.unavailable("door", "no")
        log.level(of: WarningPolicy(seed: 1).scopes[0], isRepeat: false)
        log.round(RoundRecord { $0.level = .critical }, withheld: 1)
        log.lost("/a", hosts: 1, withheld: 1)
        log.hostLost()
        log.processesHidden()
        log.refused(peer, Refusal(code: .malformed, message: "no"), withheld: 1)
        log.command("status", to: "search", hosts: 1, pid: 7, uid: 8, withheld: 1)
        // More entries than the log has room for, so that it reports the loss.
        for _ in 0..<DeferredLog.capacity { log.started() }

        var fields: [String: Set<String>] = [:]
        try DeferredLogTests.run(loop, reading: journal) { entry in
            fields[entry["MESSAGE_ID"] ?? ""] = Set(entry.keys)
            return entry["MEMWARND_DROPPED"] != nil
        }
        return fields
    }

    @Test func everyKindOfEntryIsExplainedAndNoOther() throws {
        let kinds = Set(LogEntryKind.allCases.map { $0.messageID.description })
        #expect(kinds.count == LogEntryKind.allCases.count)
        #expect(Set(try Self.explanations().keys) == kinds)
        #expect(Set(try Self.entries().keys) == kinds)
    }

    @Test("an explanation names only fields that its entry has, and has a subject and a unit")
    func fields() throws {
        let entries = try Self.entries()
        for (id, text) in try Self.explanations() {
            let parts = text.split(separator: "@", omittingEmptySubsequences: false)
            #expect(parts.count % 2 == 1, "\(id): an @ too few or too many")
            for (index, name) in parts.enumerated() where index % 2 == 1 {
                #expect(entries[id]?.contains(String(name)) == true, "\(id): no field \(name)")
            }
            #expect(text.hasPrefix("\nSubject: "))
            #expect(text.contains("\nDefined-By: memwarnd\n\n"))
        }
    }

    @Test(
        "journalctl can read the catalogue",
        .enabled(if: access("/usr/bin/journalctl", X_OK) == 0, "journalctl is not installed")
    )
    func journalctl() throws {
        let root = try TemporaryDirectory()
        try root.write(try PackagingFile.text(Self.path), to: "usr/lib/systemd/catalog/memwarnd.catalog")
        let option = "--root=\(root.path)"
        let update = try ChildProcess("/usr/bin/journalctl", ["--update-catalog", option]).end()
        #expect(update.code == 0)
        #expect(update.output == "")
        let list = try ChildProcess("/usr/bin/journalctl", ["--list-catalog", option]).end()
        #expect(list.code == 0)
        let lines = list.output.split(separator: "\n")
        #expect(Set(lines.map { String($0.prefix(32)) }) == Set(try Self.explanations().keys))
        #expect(lines.allSatisfy { $0.dropFirst(32).hasPrefix(" memwarnd: ") })
    }
}
