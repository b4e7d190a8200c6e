import ResourceArchives
import ResourceManager

/// The service: a host, a window launched from the storyboard `Main`, and the file that keeps its state.
final class SearchService {
    let host: ControllerHost
    let window: Window
    private let state: RestorationFile
    private var registrations: [Registration] = []

    /// Makes the controllers; loads nothing.
    ///
    /// - Returns: `nil` if the archives do not say how; the host has reported the fault.
    init?(host: ControllerHost, archives: any ArchiveSource, state: RestorationFile) {
        self.host = host
        self.state = state
        host.archives = archives
        Self.register(in: &host.classes, state: state)
        guard let window = host.launch(storyboard: "Main") else { return nil }
        self.window = window
        registrations = [
            host.onCommand("status") { [weak self] _ in self?.status ?? "" },
            // Views that are loaded from now on use the archive's variants for this environment.
            host.onLevelChange { [weak window] level in
                guard let window else { return }
                var environment = window.environment
                environment.isDegraded = level > .normal
                window.changeEnvironment(to: environment, isVetoable: false)
            },
        ]
    }

    private static func register(in classes: inout ClassRegistry, state: RestorationFile) {
        classes.register(ServiceController.init(coder:))
        classes.register(IndexController.init(coder:))
        classes.register(QueryController.init(coder:))
        classes.register(ShardController.init(coder:))
        classes.register(MaintenanceController.init(coder:))
        classes.register { BackupController(coder: $0, state: state) }
        classes.register(IndexView.init(coder:))
        classes.register(TermTable.init(coder:))
        classes.register(PostingsView.init(coder:))
        classes.register(Tokenizer.init(coder:))
        classes.register(HitList.init(coder:))
        classes.register(Highlighter.init(coder:))
    }

    /// Goes into service in the state of the last run; reads the file first, and waits for the disk.
    ///
    /// - Returns: The outcome for the state, for the log.
    func start() -> String {
        let outcome: String
        switch state.read() {
        case .none: outcome = "nothing to restore"
        case .state(let saved):
            outcome = window.restore(from: saved) ? "restored" : "the saved state is of another service"
        case .damaged(let error, let aside): outcome = "\(error); starts afresh, see \(aside ?? state.path)"
        }
        window.makeVisible()
        return outcome
    }

    /// Saves the state of the shown controllers, and waits for the disk.
    func save() throws(RestorationError) { try state.write(window.restorableState()) }
}
