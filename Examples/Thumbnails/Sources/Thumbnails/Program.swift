import Glibc
import Hummingbird
import Logging
import ResourceManagerServiceLifecycle
import ServiceLifecycle

/// Serves thumbnails over HTTP.
@main
struct Program {
    static func main() async throws {
        let options: ThumbnailsOptions
        do {
            options = try ThumbnailsOptions(CommandLine.arguments.dropFirst())
        } catch let error as UsageError {
            print("\(error)\n\(ThumbnailsOptions.usage)")
            exit(64)
        }
        let originals = Originals(directory: options.originals)
        switch options.command {
        case .makeOriginals:
            try originals.make(
                clients: options.clients,
                photos: options.photos,
                width: options.width,
                height: options.height
            )
        case .serve:
            try await serve(originals, options)
        }
    }

    private static func serve(_ originals: Originals, _ options: ThumbnailsOptions) async throws {
        let logger = Logger(label: "thumbnails")
        let studio = Studio(originals, idleTime: options.idleTime, socket: options.socket, logger: logger)
        let thumbnails = Thumbnails(studio)
        let metrics = CacheMetrics()
        metrics.add(thumbnails.cache)
        // Before the server, so that they end after it.
        let services: [any Service] = options.ignoresWarnings ? [metrics] : [studio, metrics]
        let application = Application(
            router: Routes(originals: originals, studio: studio, thumbnails: thumbnails).router,
            configuration: .init(address: .hostname("127.0.0.1", port: options.port)),
            services: services,
            logger: logger
        )
        try await application.runService()
    }
}
