import Dispatch
import Glibc
import ResourceArchives
import ResourceManager

/// Runs the service until SIGTERM or SIGINT; the next run restores the state of this one.
@main
@MainActor
struct Program {
    static func main() async {
        let options = SearchServiceOptions(CommandLine.arguments.dropFirst())
        let host = ControllerHost(options.name, options: .init(socket: options.socket))
        let archives = JSONArchives(folders: [options.archives])
        guard let service = SearchService(host: host, archives: archives, state: RestorationFile(path: options.state))
        else { exit(EX_CONFIG) }
        let reports = [
            host.onNotification(IndexBuilt.self) { Log.line("index built: \($0.terms) terms, \($0.bytes >> 10) KiB") },
            host.onNotification(BackupEnded.self) { Log.line("backup: \($0.problem ?? $0.path)") },
        ]
        Log.line("ready: \(service.start())")

        let running = Task { try await host.run() }
        let signals = [SIGTERM, SIGINT].map { onSignal($0, running.cancel) }
        let outcome = await running.result
        do {
            try service.save()
            Log.line("saved \(options.state)")
            if case .failure(let error) = outcome, !(error is CancellationError) { throw error }
        } catch {
            Log.line("searchservice: \(error)")
            exit(EXIT_FAILURE)
        }
        withExtendedLifetime((reports, signals)) {}
    }

    /// Calls a closure at a signal, instead of the signal's default action; keep the returned source.
    private static func onSignal(
        _ signal: CInt,
        _ action: @escaping @Sendable () -> Void
    ) -> any DispatchSourceSignal {
        let source = DispatchSource.makeSignalSource(signal: signal, queue: .global())
        source.setEventHandler(handler: action)
        // On Linux the source sets the signal's handler. If the program ignored the signal before (SIG_IGN), an early signal
        // would be lost, and the service would go on.
        source.activate()
        return source
    }
}
