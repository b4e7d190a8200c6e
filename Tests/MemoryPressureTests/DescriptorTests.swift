import CLinux
import MemoryPressure
import Testing

struct DescriptorTests {
    @Test("only a call that was interrupted by a signal is repeated")
    func interrupted() {
        var calls = 0
        func result(failing error: CInt) -> Int {
            calls = 0
            return retryingInterrupted {
                calls += 1
                errno = error
                return calls < 3 ? -1 : 7
            }
        }
        #expect(result(failing: EINTR) == 7 && calls == 3)
        #expect(result(failing: EAGAIN) == -1 && calls == 1)
    }
}
