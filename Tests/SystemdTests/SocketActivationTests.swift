import CLinux
import Testing

@testable import Systemd

// Exit tests, because the variables and descriptor 3 belong to the whole process.
struct SocketActivationTests {
    @Test func takesOverTheSocketsOfTheEnvironment() async {
        await #expect(processExitsWith: .success) {
            let listening = try UnixSocket("@memwarnd-test-listen-\(getpid())", type: CInt(SOCK_SEQPACKET.rawValue))
            try #require(listen(listening.fd, 1) == 0)
            let datagrams = try UnixSocket("@memwarnd-test-datagrams-\(getpid())")
            setenv("LISTEN_PID", "\(getpid())", 1)
            setenv("LISTEN_FDS", "2", 1)
            setenv("LISTEN_FDNAMES", "memwarnd.socket:watch", 1)

            // The test runner's own descriptors with these numbers are saved; nothing is reported before they are restored.
            let aside = [fcntl(3, F_DUPFD_CLOEXEC, 100), fcntl(4, F_DUPFD_CLOEXEC, 100)]
            let given = [fcntl(listening.fd, F_DUPFD_CLOEXEC, 100), fcntl(datagrams.fd, F_DUPFD_CLOEXEC, 100)]
            dup2(given[0], 3)
            dup2(given[1], 4)
            let first = Result { try SocketActivation.inheritedSockets() }
            let second = Result { try SocketActivation.inheritedSockets() }
            let flags = [fcntl(3, F_GETFD), fcntl(4, F_GETFD)]
            let seqpacket = CInt(SOCK_SEQPACKET.rawValue)
            let stream = CInt(SOCK_STREAM.rawValue)
            let checks = Result {
                try [
                    InheritedDescriptor(fd: 3, name: "").isListeningUnixSocket(type: seqpacket),
                    InheritedDescriptor(fd: 3, name: "").isListeningUnixSocket(type: stream),
                    InheritedDescriptor(fd: 4, name: "").isListeningUnixSocket(type: CInt(SOCK_DGRAM.rawValue)),
                ]
            }
            for (index, saved) in aside.enumerated() {
                let number = CInt(3 + index)
                if saved >= 0 { dup2(saved, number) } else { close(number) }
            }

            #expect(
                try first.get() == [
                    InheritedDescriptor(fd: 3, name: "memwarnd.socket"), InheritedDescriptor(fd: 4, name: "watch"),
                ]
            )
            #expect(try second.get() == [])
            #expect(flags == [FD_CLOEXEC, FD_CLOEXEC])
            #expect(try checks.get() == [true, false, false])
            #expect(getenv("LISTEN_PID") == nil && getenv("LISTEN_FDS") == nil && getenv("LISTEN_FDNAMES") == nil)
        }
    }

    @Test("descriptors stored under one name come back unchanged, after the sockets")
    func stored() async {
        await #expect(processExitsWith: .success) {
            let listening = try UnixSocket("@memwarnd-test-stored-\(getpid())", type: CInt(SOCK_STREAM.rawValue))
            try #require(listen(listening.fd, 1) == 0)
            var ends: [CInt] = [-1, -1]
            try #require(socketpair(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
            let record = try MemoryFile(name: "record")
            try record.write([1, 2, 3])
            setenv("LISTEN_PID", "\(getpid())", 1)
            setenv("LISTEN_FDS", "3", 1)
            setenv("LISTEN_FDNAMES", "memwarnd.socket:host-7:host-7", 1)

            // The test runner's own descriptors with these numbers are saved; nothing is reported before they are restored.
            let numbers: [CInt] = [3, 4, 5]
            let aside = numbers.map { fcntl($0, F_DUPFD_CLOEXEC, 100) }
            let given = [listening.fd, ends[0], record.fd].map { fcntl($0, F_DUPFD_CLOEXEC, 100) }
            for (number, fd) in zip(numbers, given) { dup2(fd, number) }
            let inherited = Result { try SocketActivation.inheritedSockets() }
            let listens = inherited.flatMap { all in
                Result { try all.map { try $0.isListeningUnixSocket(type: CInt(SOCK_STREAM.rawValue)) } }
            }
            let files = inherited.flatMap { all in Result { try all.map { try $0.isFile() } } }
            let content = Result { try MemoryFile(adopting: fcntl(5, F_DUPFD_CLOEXEC, 100)).read(limit: 3) }
            for (number, saved) in zip(numbers, aside) {
                if saved >= 0 { dup2(saved, number) } else { close(number) }
            }

            #expect(try inherited.get().map(\.name) == ["memwarnd.socket", "host-7", "host-7"])
            #expect(try inherited.get().map(\.fd) == numbers)
            #expect(try listens.get() == [true, false, false])
            #expect(try files.get() == [false, false, true])
            #expect(try content.get() == [1, 2, 3])
        }
    }

    @Test func aDescriptorThatIsNotOpenCannotBeExamined() {
        let error = SystemdError("look at inherited file descriptor -1", errno: EBADF)
        #expect(throws: error) { try InheritedDescriptor(fd: -1, name: "").isFile() }
    }

    @Test func socketsForAnotherProcessAreIgnored() async {
        await #expect(processExitsWith: .success) {
            setenv("LISTEN_PID", "1", 1)
            setenv("LISTEN_FDS", "1", 1)
            let sockets = try SocketActivation.inheritedSockets()
            #expect(sockets == [])
        }
    }

    @Test func withoutASocketUnitThereAreNone() async {
        await #expect(processExitsWith: .success) {
            unsetenv("LISTEN_PID")
            unsetenv("LISTEN_FDS")
            let sockets = try SocketActivation.inheritedSockets()
            #expect(sockets == [])
        }
    }

    @Test func invalidVariablesAreAnError() async {
        await #expect(processExitsWith: .success) {
            setenv("LISTEN_PID", "\(getpid())", 1)
            setenv("LISTEN_FDS", "many", 1)
            #expect(throws: SystemdError("take over the inherited sockets", errno: EINVAL)) {
                try SocketActivation.inheritedSockets()
            }
        }
    }
}
