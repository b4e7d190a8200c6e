import ResourceArchives
import ResourceManager

/// Copies the service's state, as an overlay: the index below continues to serve.
final class BackupController: ViewController {
    private let file: RestorationFile

    /// What the archive does not know the program passes on when it registers the class.
    init(coder: Coder, state: RestorationFile) {
        file = RestorationFile(path: state.path + (coder["suffix"] ?? ".backup"))
        super.init(coder: coder)
    }

    override class var actions: Actions { super.actions.adding("back", BackupController.back) }

    override func viewDidAppear() {
        guard let state = viewIfLoaded?.window?.restorableState() else { return }
        load { [file] in
            try file.write(state)
        } then: { [weak self] result in
            self?.end(result)
        }
    }

    private func end(_ result: Result<Void, any Error>) {
        var problem: String?
        if case .failure(let error) = result { problem = "\(error)" }
        host.post(BackupEnded(path: file.path, problem: problem))
        dismiss()
    }

    /// `back`: does not wait for the backup.
    private func back(_ command: Command) { dismiss() }
}
