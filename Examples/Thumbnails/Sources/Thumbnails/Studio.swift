import Logging
import ResourceManager
import ResourceManagerServiceLifecycle
import ServiceLifecycle

/// The actor of the controllers, which decodes photos and keeps them.
actor Studio: Service {
    private let host: ControllerHost
    private let clients: Clients
    private let log: HostLogger
    private let metrics: HostMetrics
    private let originals: Originals
    private var decoding: [Photo: Task<Picture, any Error>] = [:]
    private var lastDecoding: Task<Picture, any Error>?

    init(_ originals: Originals, idleTime: Duration, socket: String? = nil, logger: Logger) {
        self.originals = originals
        host = ControllerHost("thumbnails", options: .init(socket: socket))
        clients = Clients(host: host, idleTime: idleTime)
        log = HostLogger(host, logger: logger)
        metrics = HostMetrics(host)
    }

    /// Receives memory warnings until the service shuts down.
    func run() async throws {
        try await host.runUntilGracefulShutdown()
    }

    /// Notes that a client is active.
    func noteRequest(of client: Int) {
        _ = clients.controller(of: client)
    }

    /// The pixels of a photo, decoded if its client's view does not have them; once for all concurrent requests.
    ///
    /// Photos are decoded one after the other: no warning can release a photo while it is decoded.
    func original(_ photo: Photo) async throws -> Picture {
        if let picture = clients.controller(of: photo.client).album?.picture(photo.number) { return picture }
        if let task = decoding[photo] { return try await task.value }
        let task = Task { [originals, lastDecoding] in
            _ = await lastDecoding?.result
            return try await originals.decode(photo)
        }
        decoding[photo] = task
        lastDecoding = task
        defer { decoding[photo] = nil }
        let picture = try await task.value
        clients.controller(of: photo.client).album?.keep(picture, as: photo.number)
        return picture
    }

    /// One line for each figure.
    var status: String {
        """
        origin \(host.origin)
        level \(host.level)
        clients \(clients.count)
        shown \(clients.shownCount)
        loaded \(clients.loadedCount)
        originals \(clients.originalBytes >> 20) MiB
        """
    }
}
