// A host that ends at SIGTERM, in a program without a service group.
import Dispatch
import Glibc
import ResourceManager

@MainActor func serveUntilTerminated(_ host: ControllerHost, _ window: Window) async {
    let running = Task { try await host.run() }
    // On Linux the source sets the signal's handler. Until then the signal ends the process; do not ignore it (SIG_IGN).
    let termination = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
    termination.setEventHandler(handler: running.cancel)
    termination.activate()
    _ = await running.result
    window.hide()  // the views in it save now, in viewWillDisappear
    await host.finishSaves()
    termination.cancel()
}

let host = ControllerHost("search")
await serveUntilTerminated(host, Window(host: host))
