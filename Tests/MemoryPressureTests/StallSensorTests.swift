import Glibc
import MemoryPressure
import Testing

struct StallSensorTests {
    // An exit test, because descriptor 0 belongs to the whole process.
    @Test("opening a sensor closes nothing that is not its own")
    func descriptors() async {
        await #expect(processExitsWith: .success) {
            let null = open("/dev/null", O_RDONLY)
            try #require(dup2(null, 0) == 0)
            let sensor = try StallSensor(
                opening: KernelTree.live.hostPressure,
                plan: StallPlan(),
                policy: LevelPolicy()
            )
            #expect(fcntl(0, F_GETFD) >= 0)
            _ = try sensor.read()
        }
    }
}
