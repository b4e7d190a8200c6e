import Glibc
import MemoryPressure
import Testing

struct PressureSensorTests {
    // An exit test, because descriptor 0 belongs to the whole process.
    @Test("opening a sensor closes nothing that is not its own")
    func descriptors() async {
        await #expect(processExitsWith: .success) {
            let null = open("/dev/null", O_RDONLY)
            try #require(dup2(null, 0) == 0)
            let sensor = try PressureSensor(.host)
            #expect(fcntl(0, F_GETFD) >= 0)
            #expect(sensor.look().stalls != nil)
        }
    }
}
