import ResourceArchives
import TestSupport

@testable import ResourceManager
@testable import searchservice

/// The example service in this process, with its own archives, on a machine of a size that the test sets.
final class SearchStage {
    let directory: TemporaryDirectory
    let kernel: FakeKernel
    let host: ControllerHost
    let state: RestorationFile
    private(set) var faults: [ResourceFault] = []
    private var service: SearchService?

    /// Launches the service.
    ///
    /// `directory` may contain the state of an earlier run.
    init(mebibytes: Int = 8192, in directory: TemporaryDirectory? = nil) throws {
        let directory = try directory ?? TemporaryDirectory()
        self.directory = directory
        kernel = try FakeKernel(["/proc/meminfo": Self.memory(mebibytes)])
        state = RestorationFile(path: directory.path + "/state.json")
        host = Reclaimer().use { [kernel] in ControllerHost("search-service", kernel: kernel.tree) }
        host.faultHandling = .record { [weak self] in self?.faults.append($0) }
        let archives = JSONArchives(folders: [SearchServiceOptions([String]()).archives])
        service = SearchService(host: host, archives: archives, state: state)
    }

    var running: SearchService {
        get throws {
            guard let service else { throw Refusal("the service was not launched: \(faults)") }
            return service
        }
    }

    /// Sends a command from outside and returns the outcome.
    func send(_ name: String, _ argument: String = "") -> CommandOutcome {
        host.handle(Command(name, argument: argument))
    }

    /// The lines of an answer, without leading spaces.
    func lines(_ name: String, _ argument: String = "") throws -> [String] {
        guard case .done(let answer) = send(name, argument) else { throw Refusal("\(send(name, argument))") }
        return answer.split(separator: "\n").map { String($0.drop { $0 == " " }) }
    }

    /// The status line of a controller, without its size.
    func status(of controller: String) throws -> String? {
        let line = try lines("status").last { $0.hasPrefix(controller) }
        return line.map { $0.hasSuffix(" KiB") ? $0.split(separator: ", ").dropLast().joined(separator: ", ") : $0 }
    }

    func setMemory(mebibytes: Int) throws {
        try kernel.set("/proc/meminfo", Self.memory(mebibytes))
        host.updateCapacity()
    }

    private static func memory(_ mebibytes: Int) -> String {
        "MemTotal: \(mebibytes << 10) kB\nMemAvailable: \(mebibytes << 9) kB\n"
    }
}
