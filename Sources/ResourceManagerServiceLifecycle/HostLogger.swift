#if ServiceLifecycle
public import Logging
public import ResourceManager

/// Logs the events of a host to a `Logger`, for as long as this object exists.
///
/// | what | level | metadata |
/// | --- | --- | --- |
/// | memory was given back | info | `warning.level`, `.scope`, `.reason`, `.simulated`; `released.bytes`, `resident.before`, `resident.after` in bytes; `duration` |
/// | the level of pressure has changed | info | `level` |
/// | a daemon was found or lost | info | `origin` |
/// | a `ResourceFault` | error | `fault`, `advice` |
///
/// Each line has `host`, the host's name. Faults are logged instead of being printed on standard error, also after this
/// object is destroyed; if the host traps on faults or records them, it still does, and no fault is logged.
///
/// It belongs to the host's isolation. The logger is called there, during a delivery: a handler that waits for a disk
/// delays the answer to the daemon.
public final class HostLogger {
    private let registrations: [Registration]

    /// Begins to log.
    ///
    /// - Parameters:
    ///   - host: The host whose events are logged; it is not kept alive.
    ///   - logger: The destination; its own metadata is kept.
    public init(_ host: ControllerHost, logger: Logger) {
        var logger = logger
        logger[metadataKey: "host"] = "\(host.name)"
        if case .log = host.faultHandling {
            host.faultHandling = .record { [logger] fault in
                logger.error(
                    "Mistake in the use of controllers",
                    metadata: ["fault": "\(fault)", "advice": "\(fault.advice)"]
                )
            }
        }
        registrations = [
            host.onDelivery { [logger] warning, release in
                logger.info("Gave memory back", metadata: Self.metadata(of: warning, release))
            },
            host.onLevelChange { [logger] level in
                logger.info("Level of memory pressure changed", metadata: ["level": "\(level)"])
            },
            host.onOriginChange { [logger] origin in
                logger.info("Origin of memory warnings changed", metadata: ["origin": "\(origin)"])
            },
        ]
    }

    private static func metadata(of warning: MemoryWarning, _ release: MemoryRelease) -> Logger.Metadata {
        [
            "warning.level": "\(warning.level)",
            "warning.scope": "\(warning.scope)",
            "warning.reason": "\(warning.reason)",
            "warning.simulated": "\(warning.isSimulated)",
            "released.bytes": "\(release.released)",
            "resident.before": "\(release.residentBefore)",
            "resident.after": "\(release.residentAfter)",
            "duration": "\(release.duration)",
        ]
    }
}
#endif
