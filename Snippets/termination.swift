// A host that ends at SIGTERM, in a program without a service group.
import Dispatch
import Glibc
import ResourceManager

@MainActor func serveUntilTerminated(_ host: ControllerHost, _ window: Window) async {
    let running = Task { try await host.run() }
    signal(SIGTERM, SIG_IGN)  // otherwise the signal ends the process
    let termination = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
    termination.setEventHandler(handler: running.cancel)
    termination.activate()
    _ = await running.result
    termination.cancel()
    window.hide()  // the views in it save now, in viewWillDisappear
    await host.finishSaves()
}

let host = ControllerHost("search")
await serveUntilTerminated(host, Window(host: host))
