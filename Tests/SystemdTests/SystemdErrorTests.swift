import CLinux
import Testing

@testable import Systemd

struct SystemdErrorTests {
    @Test func theDescriptionIsASentence() {
        let error = SystemdError("watch file descriptor 7", errno: EPERM)
        #expect("\(error)" == "cannot watch file descriptor 7: Operation not permitted (errno 1)")
    }

    @Test func aResultThatIsNotNegativeIsReturned() throws {
        #expect(try SystemdError.check(2, "do") == 2)
        #expect(throws: SystemdError("do", errno: ENOENT)) { try SystemdError.check(-ENOENT, "do") }
    }
}
