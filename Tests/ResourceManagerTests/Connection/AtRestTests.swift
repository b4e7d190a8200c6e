import Glibc
import Testing

@testable import ResourceManager

struct AtRestTests {
    @Test("a host that nobody runs has no thread and no descriptor (8.5)")
    func nobodyListens() async throws {
        // Other tests come and go with descriptors of their own, so this one looks at a process where nothing else is.
        await #expect(processExitsWith: .success) {
            func entries(_ path: String) -> Int {
                var count = 0
                guard let directory = opendir(path) else { return -1 }
                defer { closedir(directory) }
                while readdir(directory) != nil { count += 1 }
                return count
            }
            let descriptors = entries("/proc/self/fd")
            let threads = entries("/proc/self/task")
            let host = ControllerHost("at rest", reclaimer: Reclaimer())
            let controller = ViewController(host: host)
            controller.loadViewIfNeeded()
            let registration = host.onMemoryWarning { _ in }
            let grown = entries("/proc/self/fd") != descriptors || entries("/proc/self/task") > threads
            withExtendedLifetime((controller, registration)) {}
            exit(grown ? 1 : 0)
        }
    }
}
