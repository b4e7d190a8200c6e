import Logging
import ResourceManager
import ResourceManagerServiceLifecycle
import ServiceLifecycle
import UnixSignals

struct Server: Service {
    func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: .seconds(1))) != nil { await answerRequests() }
        }
    }
}

@MainActor
func serve(_ host: ControllerHost, _ window: Window, _ logger: Logger) async throws {
    let server = Server()
    let group = ServiceGroup(
        services: [HostService(host), server],
        gracefulShutdownSignals: [.sigterm],
        logger: logger
    )
    try await group.run()
    window.hide()  // the views in it save now, in viewWillDisappear
    await host.finishSaves()
}

private func answerRequests() async {}

// The remaining code of docs/SERVICE_LIFECYCLE.md and of the reference, unchanged.

private enum Documented {
    actor Gallery: Service {
        private let host = ControllerHost("gallery")
        func run() async throws { try await host.runUntilGracefulShutdown() }
    }
}

private enum WithWindow {
    actor Gallery: Service {
        private let host: ControllerHost
        private let window: Window

        init() {
            let host = ControllerHost("gallery")
            self.host = host
            window = Window(host: host)
        }

        func run() async throws {
            try await host.runUntilGracefulShutdown()
            window.hide()  // the views in it save now, in viewWillDisappear
            await host.finishSaves()
        }
    }
}

@MainActor
private func observe(_ host: ControllerHost, _ pages: ResourceCache<String, [UInt8]>, _ logger: Logger) -> [Any] {
    let log = HostLogger(host, logger: logger)  // keep it
    let hostMetrics = HostMetrics(host)  // keep it
    let cacheMetrics = CacheMetrics()  // a service too: add it to the group
    cacheMetrics.add(pages)
    return [log, hostMetrics, cacheMetrics]
}

private func report(_ pages: ResourceCache<String, [UInt8]>) -> CacheMetrics {
    let metrics = CacheMetrics()
    metrics.add(pages)
    return metrics
}
