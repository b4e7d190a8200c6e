import Glibc
import ResourceManager

/// An example host: a gallery of pictures, one of which is shown, and a cache of thumbnails.
///
/// Every picture is a controller whose view holds some MiB of really touched memory. A memory warning takes the views that
/// are not shown and most of the cache; the next visit loads them again. Prints one line an event.
@main
@MainActor
struct Gallery {
    static func main() async throws {
        let options = GalleryOptions(CommandLine.arguments.dropFirst())
        let host = ControllerHost(options.name, options: .init(socket: options.socket))
        let thumbnails = ResourceCache<Int, Pixels>("thumbnails")
        for number in 0..<options.cacheMebibytes {
            thumbnails.insert(Pixels(mebibytes: 1), for: number, cost: 1 << 20)
        }

        let pictures = (0..<options.pictures).map {
            PictureController(number: $0, mebibytes: options.mebibytes, host: host)
        }
        let window = Window(host: host)
        window.rootViewController = pictures.first
        window.makeVisible()
        for picture in pictures { picture.loadViewIfNeeded() }

        let registrations = [
            host.onLevelChange { Log.line("level \($0)") },
            host.onOriginChange { Log.line("origin \($0)") },
            // memwarnd send gallery status
            host.onCommand("status") { _ in
                let loaded = pictures.count { $0.isViewLoaded }
                return "\(loaded) of \(pictures.count) pictures loaded, \(thumbnails.count) thumbnails"
            },
        ]
        let reporter = Reporter()
        host.delegate = reporter
        Log.line("ready: \(pictures.count) pictures of \(options.mebibytes) MiB, \(thumbnails.count) thumbnails")

        let visits = Task { await visit(pictures, host: host, every: options.visitInterval) }
        defer { visits.cancel() }
        // Both last until the process ends.
        if options.ignoresWarnings {
            while true { try await Task.sleep(for: .seconds(3600)) }
        } else {
            try await host.run()
        }
        withExtendedLifetime((registrations, reporter, window, pictures)) {}
    }

    /// Shows one picture after another while memory is not short: released views are loaded again.
    private static func visit(_ pictures: [PictureController], host: ControllerHost, every interval: Duration?) async {
        guard let interval else { return }
        var next = 0
        while (try? await Task.sleep(for: interval)) != nil {
            guard host.level == .normal else { continue }
            pictures[next % pictures.count].loadViewIfNeeded()
            next += 1
        }
    }
}

/// Prints each warning and its outcome.
private final class Reporter: ControllerHostDelegate {
    func controllerHost(_ host: ControllerHost, didReceiveMemoryWarning warning: MemoryWarning) {
        let kind = warning.isSimulated ? " (simulated)" : warning.isRepeat ? " (again)" : ""
        Log.line("warning \(warning.level)\(kind) for \(warning.scope): \(warning.reason)")
    }

    func controllerHost(_ host: ControllerHost, didRelease release: MemoryRelease, for warning: MemoryWarning) {
        Log.line(
            """
            released \(release.released >> 20) MiB, resident \(release.residentBefore >> 20) → \
            \(release.residentAfter >> 20) MiB in \(release.duration)
            """
        )
    }
}
