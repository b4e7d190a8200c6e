import CLinux
import MemoryPressure
import ResourceArchives
import ResourceManager
import TestSupport
import Testing

struct RestorationFileTests {
    let directory: TemporaryDirectory
    let file: RestorationFile

    init() throws {
        directory = try TemporaryDirectory()
        file = RestorationFile(path: directory.path + "/state.json")
    }

    /// The names of the files in the folder.
    func all() throws -> [String] {
        var names: [String] = []
        let folder = try #require(opendir(directory.path))
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// The names of the files in the folder, without the lock.
    func names() throws -> [String] {
        try all().filter { !$0.hasSuffix(".lock") }
    }

    func text(of path: String) throws -> String {
        let file = try #require(fopen(path, "re"))
        defer { fclose(file) }
        var bytes: [UInt8] = []
        while case let byte = getc(file), byte != EOF { bytes.append(UInt8(truncatingIfNeeded: byte)) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The files that killed writers have left.
    func leftovers() throws -> [String] {
        try names().filter { $0.hasPrefix("state.json.") && $0.hasSuffix(".new") }
    }

    /// Sets a file's times to `seconds` ago.
    func age(_ name: String, seconds: Int) {
        let then = timespec(tv_sec: time(nil) - seconds, tv_nsec: 0)
        #expect(utimensat(AT_FDCWD, directory.path + "/" + name, [then, then], 0) == 0)
    }

    @Test("a written state is read back, and replaces the previous one (5.40)")
    func roundTrip() throws {
        #expect(file.read() == .none)
        try file.write(PropertiesJSONTests.rich)
        #expect(file.read() == .state(PropertiesJSONTests.rich))
        try file.write(Properties(["a": .integer(1)]))
        #expect(file.read() == .state(Properties(["a": .integer(1)])))
        #expect(try names() == ["state.json"])
    }

    @Test("only the owner may read the state, whatever its mode was before")
    func mode() throws {
        try directory.write("", to: "state.json")
        chmod(file.path, 0o644)
        try file.write(Properties())
        var status = stat()
        #expect(stat(file.path, &status) == 0)
        #expect(status.st_mode & 0o7777 == 0o600)
    }

    @Test("files of killed writers do not disturb other writers, and are removed when they are over a minute old")
    func leftover() throws {
        let left = ["state.json.new", "state.json.0123456789abcdef.new"]
        let others = [
            "state.json.2.new", "state.json.x123456789abcdef.new", "other.json.0123456789abcdef.new", "state.json.bak",
        ]
        for name in left + others { try directory.write("{\"form", to: name) }
        #expect(file.read() == .none)
        for name in left + others { age(name, seconds: 55) }
        try file.write(Properties(["a": .null]))
        #expect(file.read() == .state(Properties(["a": .null])))
        #expect(try names() == (["state.json"] + left + others).sorted())
        for name in left + others { age(name, seconds: 65) }
        try file.write(Properties())
        #expect(try names() == (["state.json"] + others).sorted())
    }

    @Test("a path with a NUL, at which the kernel would cut it off, is refused")
    func nul() throws {
        try file.write(Properties(["a": .integer(1)]))
        let other = RestorationFile(path: file.path + "\0b")
        let error = #expect(throws: RestorationError.self) { try other.write(Properties()) }
        #expect(error == .system(KernelError("write", other.path, errno: EINVAL)))
        #expect(error?.description.hasSuffix("there is a NUL in the path: leave it out") == true)
        #expect(
            other.read() == .damaged(.system(KernelError("read", other.path, errno: EINVAL)), setAsideAt: nil)
        )
        #expect(file.read() == .state(Properties(["a": .integer(1)])))
        #expect(try names() == ["state.json"])
    }

    @Test("only the owner can access the files under any umask")
    func umasks() async {
        let path = file.path
        // In its own process, since the umask belongs to the whole process.
        await #expect(processExitsWith: .success) { [path = path as String] in
            for mask: mode_t in [0, 0o777] {
                umask(mask)
                try RestorationFile(path: path).write(Properties())
                for name in [path, path + ".lock"] {
                    var status = stat()
                    guard stat(name, &status) == 0, status.st_mode & 0o7777 == 0o600 else { exit(1) }
                    unlink(name)
                }
            }
        }
    }

    @Test("a reader and a writer take no lock that other programs can hold; the writer has its own lock")
    func folderIsLocked() throws {
        try file.write(Properties(["a": .integer(1)]))
        let folder = open(directory.path, O_RDONLY | O_CLOEXEC)
        defer { close(folder) }
        #expect(flock(folder, LOCK_EX | LOCK_NB) == 0)
        try file.write(Properties(["a": .integer(2)]))
        #expect(file.read() == .state(Properties(["a": .integer(2)])))
        #expect(try all() == ["state.json", "state.json.lock"])
    }

    @Test("a writer that cannot get the lock reports it, and a reader does not wait")
    func locked() throws {
        let impatient = RestorationFile(path: file.path, lockTimeout: .milliseconds(30))
        try impatient.write(Properties(["a": .integer(1)]))
        let lock = open(file.path + ".lock", O_RDWR | O_CLOEXEC)
        #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
        let error = #expect(throws: RestorationError.self) { try impatient.write(Properties()) }
        #expect(
            error?.description == "cannot lock \(file.path).lock: Resource temporarily unavailable (errno 11); "
                + "another process holds it, which lslocks(8) names: end that, or wait for longer"
        )
        #expect(impatient.read() == .state(Properties(["a": .integer(1)])))
        try directory.write("x", to: "state.json")
        guard case .damaged(.damaged, nil) = impatient.read() else {
            Issue.record("it was set aside beside another writer")
            return
        }
        close(lock)
        try impatient.write(Properties())
        #expect(file.lockTimeout == .seconds(2))
    }

    @Test(
        "a lock is not taken if it is no regular file of the user alone",
        arguments: ["link", "hard link", "fifo", "folder"]
    )
    func strangeLock(kind: String) throws {
        let path = file.path + ".lock"
        try directory.write("", to: "other")
        switch kind {
        case "link": #expect(symlink("other", path) == 0)
        case "hard link": #expect(link(directory.path + "/other", path) == 0)
        case "fifo": #expect(mkfifo(path, 0o600) == 0)
        default: try directory.makeDirectory("state.json.lock")
        }
        let errors: [String: KernelError] = [
            "link": KernelError("open the lock", path, errno: ELOOP),
            "hard link": KernelError("trust the lock", path, errno: EPERM),
            "fifo": KernelError("trust the lock", path, errno: EPERM),
            "folder": KernelError("open the lock", path, errno: EISDIR),
        ]
        let error = try #require(errors[kind])
        #expect(throws: RestorationError.system(error)) { try file.write(Properties()) }
        #expect(file.read() == .none)
    }

    @Test("a state is limited to a size that can be read back, and a pipe is refused", .timeLimit(.minutes(1)))
    func bounds() throws {
        let text = String(repeating: "x", count: 16 << 20)
        let error = #expect(throws: RestorationError.self) { try file.write(Properties(["a": .string(text)])) }
        #expect(
            error?.description == "cannot write \(file.path): File too large (errno 27); "
                + "keep less in a state: 16 MiB at most"
        )
        #expect(try names() == [])
        let most = String(repeating: "x", count: 16 << 20 - 100)
        try file.write(Properties(["a": .string(most)]))
        guard case .state = file.read() else {
            Issue.record("it was not read again")
            return
        }
        #expect(unlink(file.path) == 0)
        #expect(mkfifo(file.path, 0o600) == 0)
        let expected = RestorationError.system(KernelError("take for a regular file", file.path, errno: EINVAL))
        #expect(file.read() == .damaged(expected, setAsideAt: nil))
        #expect(unlink(file.path) == 0)
        try directory.write("", to: "state.json")
        #expect(truncate(file.path, 1 << 40) == 0)
        guard case .damaged(.damaged(let problems), _?) = file.read() else {
            Issue.record("it was read")
            return
        }
        #expect(problems.map(\.message) == ["the file is larger than 16 MiB; make several of it"])
    }

    @Test("states of earlier versions are read")
    func earlier() throws {
        let bytes = try Repository.read("Tests/ResourceArchivesTests/States/service.json")
        let text = String(decoding: bytes, as: UTF8.self)
        try directory.write(text, to: "state.json")
        guard case .state(let state) = file.read() else {
            Issue.record("\(file.read())")
            return
        }
        let storyboard = """
            {"format":"storyboard","version":1,"initial":"tabs","scenes":{
             "tabs":{"class":"TabController","properties":{"restorationIdentifier":"tabs"},"children":["first","stack"]},
             "first":{"properties":{"restorationIdentifier":"first"}},
             "stack":{"class":"NavigationController","properties":{"restorationIdentifier":"stack"},"children":["home"]},
             "home":{"properties":{"restorationIdentifier":"home"}},
             "detail":{"properties":{"restorationIdentifier":"detail"}}}}
            """
        let host = ControllerHost("earlier")
        host.archives = JSONArchives(files: ["Main.storyboard.json": Array(storyboard.utf8)])
        let window = try #require(host.launch(storyboard: "Main"))
        #expect(window.restore(from: state))
        let tabs = try #require(window.rootViewController as? TabController)
        let stack = try #require(tabs.selectedViewController as? NavigationController)
        #expect(stack.viewControllers.map(\.restorationIdentifier) == ["home", "detail", "detail"])
        try file.write(state)
        #expect(try self.text(of: file.path) == text)
    }

    @Test(
        "a damaged state is set aside, with the reason, and the start continues (5.40)",
        arguments: [
            ("", "1:1: expected a value, found the end of the file"),
            (#"{"format":"state","state":{"a":"#, "1:32: expected a value, found the end of the file"),
            (#"{"format":"nib","version":1,"state":{}}"#, #"1:11: format: expected "state", found "nib""#),
            (
                #"{"format":"state","version":2,"state":{}}"#,
                "1:29: version: version 2 is newer than this program, which reads version 1; update the program"
            ),
            (#"{"format":"state","version":1}"#, #"1:1: "state" is missing: the values that were saved"#),
            (#"{"format":"state","version":1,"state":[]}"#, "1:39: state: expected an object, found a list"),
            (
                #"{"format":"state","version":1,"state":{},"more":1}"#,
                "1:49: more: unknown key; known here: format, version, state"
            ),
        ]
    )
    func damaged(text: String, problem: String) throws {
        try directory.write("older", to: "state.json.damaged")
        try directory.write(text, to: "state.json")
        guard case .damaged(let error, let aside) = file.read() else {
            Issue.record("it was read")
            return
        }
        #expect(error.description == "\(file.path):\(problem)")
        #expect(aside == file.path + ".damaged")
        #expect(try names() == ["state.json.damaged"])
        #expect(try self.text(of: file.path + ".damaged") == text)
        #expect(file.read() == .none)
    }

    @Test func aStateThatCannotBeSetAsideStaysAndIsReported() throws {
        try directory.makeDirectory("state.json.damaged")
        try directory.write("x", to: "state.json")
        guard case .damaged(.damaged, nil) = file.read() else {
            Issue.record("it was set aside")
            return
        }
        #expect(try names() == ["state.json", "state.json.damaged"])
    }

    @Test("a state that cannot be read is not changed")
    func unreadable() throws {
        try directory.makeDirectory("state.json")
        let error = RestorationError.system(KernelError("read", file.path, errno: EISDIR))
        #expect(file.read() == .damaged(error, setAsideAt: nil))
        #expect(try names() == ["state.json"])
        #expect(throws: RestorationError.system(KernelError("replace", file.path, errno: EISDIR))) {
            try file.write(Properties())
        }
        #expect(try names() == ["state.json"])
    }

    @Test("a pipe or a link in place of the state stays", arguments: [false, true])
    func otherFile(isLink: Bool) throws {
        let path = file.path
        try #require(isLink ? symlink("elsewhere", path) == 0 : mkfifo(path, 0o600) == 0)
        #expect(throws: RestorationError.system(KernelError("take for a regular file", path, errno: EINVAL))) {
            try file.write(Properties())
        }
        var status = stat()
        #expect(lstat(path, &status) == 0 && status.st_mode & S_IFMT == (isLink ? S_IFLNK : S_IFIFO))
    }

    @Test func withoutAFolderTheErrorHasAdvice() throws {
        let lost = RestorationFile(path: directory.path + "/none/state.json")
        #expect(lost.read() == .none)
        let error = #expect(throws: RestorationError.self) { try lost.write(Properties()) }
        #expect(
            error?.description == "cannot open \(directory.path)/none: No such file or directory (errno 2); "
                + "create a folder that this user may write to, for example with StateDirectory= in a unit"
        )
    }

    @Test("a failed write leaves the old state")
    func unwritable() throws {
        try file.write(Properties(["a": .integer(1)]))
        let error = #expect(throws: RestorationError.self) { try file.write(Properties(["a": .number(.nan)])) }
        #expect(error?.description == "cannot write state.a as JSON: nan is no number there; leave it out")
        #expect(file.read() == .state(Properties(["a": .integer(1)])))
    }

    @Test("many writers at once leave one whole state of theirs, and no reader ever sees another one")
    func together() async throws {
        let file = file
        let damage = await withTaskGroup(of: [String].self) { group in
            for writer in 1...8 {
                group.addTask {
                    // States of different lengths, so that no writer could cover up the bytes of another.
                    let values = Array(repeating: PropertyValue.integer(writer), count: writer * 500)
                    return (0..<12).compactMap { _ in
                        do {
                            try file.write(Properties(["values": .array(values)]))
                        } catch {
                            return "\(error)"
                        }
                        guard case .state(let state) = file.read(), let values: [Int] = state["values"] else {
                            return "\(file.read())"
                        }
                        return values.count == values[0] * 500 && Set(values).count == 1 ? nil : "mixed \(values)"
                    }
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(damage == [])
        #expect(try names() == ["state.json"])
    }

    @Test("a writer that is killed during the write leaves the old state (5.40)")
    func killedInTheMiddle() throws {
        let old = Properties(["generation": .integer(1)])
        try file.write(old)
        // The kernel kills a process that writes beyond this file size: 2 KiB, or 4 KiB in some shells.
        let limited = "ulimit -c 0; ulimit -f 4; exec \"$0\" \"$@\""
        let path = try ChildProcess.path(of: "state-writer")
        let writer = try ChildProcess("/bin/sh", ["-c", limited, path, file.path, "2"])
        #expect(writer.rest() == "")
        #expect(writer.wait() == -SIGXFSZ)
        let left = try leftovers()
        #expect(left.count == 1)
        #expect(try names() == ["state.json"] + left)
        #expect(file.read() == .state(old))
        for name in left { age(name, seconds: 61) }
        try file.write(Properties())
        #expect(try names() == ["state.json"])
    }

    @Test("two writers that are killed at any point leave a whole state of one of them (5.40)")
    func killed() throws {
        var generator = SeededGenerator(seed: 11)
        var generation = 0
        for _ in 0..<30 {
            let writers = try [0, 1_000_000].map {
                try ChildProcess("state-writer", [file.path, "\(generation + $0)"])
            }
            var said = try writers.map { [try #require($0.line(startingWith: "saved "))] }
            for (index, writer) in writers.enumerated() {
                // Does not wait for an event, but varies the point at which the writer is killed.
                usleep(UInt32.random(in: 0..<8_000, using: &generator))
                writer.send(SIGKILL)
                said[index] += writer.rest().split(separator: "\n").map { String($0) }
                #expect(writer.wait() == -SIGKILL)
            }
            let saved = said.map { $0.compactMap { Int($0.dropFirst("saved ".count)) }.max() ?? -1 }

            guard case .state(let state) = file.read() else {
                Issue.record("\(file.read())")
                return
            }
            let found: Int = try #require(state["generation"])
            // The state is the last one that a writer reported as saved, or the next one.
            #expect(saved.contains { $0...($0 + 1) ~= found })
            #expect(state["zcheck"] == found)
            #expect(try Set(names()).subtracting(leftovers()) == ["state.json"])
            generation += 1
        }
        for name in try leftovers() { age(name, seconds: 61) }
        try file.write(Properties())
        #expect(try names() == ["state.json"])
    }
}
