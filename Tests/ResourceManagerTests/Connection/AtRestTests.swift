import CLinux
import Testing

@testable import ResourceManager

struct AtRestTests {
    @Test("a host that does not run has no thread and no descriptor (8.5)")
    func nobodyListens() async throws {
        // Other tests open and close descriptors of their own, so this test uses a process in which nothing else runs.
        await #expect(processExitsWith: .success) {
            func entries(_ path: String) -> Int {
                var count = 0
                guard let directory = opendir(path) else { exit(2) }
                defer { closedir(directory) }
                while readdir(directory) != nil { count += 1 }
                return count
            }
            let descriptors = entries("/proc/self/fd")
            let threads = entries("/proc/self/task")
            // Enough hosts to stand out from the threads and descriptors that the runtime and the test runner open meanwhile.
            let count = 64
            let hosts = (0..<count).map { ControllerHost("at rest \($0)") }
            let controllers = hosts.map { ViewController(host: $0) }
            for controller in controllers { controller.loadViewIfNeeded() }
            let registrations = hosts.map { $0.onMemoryWarning { _ in } }
            let grown =
                entries("/proc/self/fd") >= descriptors + count || entries("/proc/self/task") >= threads + count
            withExtendedLifetime((controllers, registrations)) {}
            exit(grown ? 1 : 0)
        }
    }
}
