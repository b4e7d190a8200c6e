import Logging
import ResourceManager
import ResourceManagerServiceLifecycle
import ServiceLifecycle
import UnixSignals

// The code of docs/SERVICE_LIFECYCLE.md and of the reference, as it is there.

private enum Documented {
    actor Gallery: Service {
        private let host = ControllerHost("gallery")
        func run() async throws { try await host.runUntilGracefulShutdown() }
    }
}

@MainActor
private func serve(_ host: ControllerHost, _ server: any Service, _ logger: Logger) async throws {
    let group = ServiceGroup(
        services: [HostService(host), server],
        gracefulShutdownSignals: [.sigterm],
        logger: logger
    )
    try await group.run()
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
