#if ServiceLifecycle
public import Logging
public import ResourceManager

/// Tells a `Logger` what happens in a host, for as long as this object is kept.
///
/// | what | level | metadata |
/// | --- | --- | --- |
/// | memory was given back | info | `warning.level`, `.scope`, `.reason`, `.simulated`; `released.bytes`, `resident.before`, `resident.after` in bytes; `duration` |
/// | the level of pressure has changed | info | `level` |
/// | a daemon was found or lost | info | `origin` |
/// | a `ResourceFault` | error | `fault`, `advice` |
///
/// Each line has `host`, its name. Faults go to the logger and no longer to standard error, also after this object is
/// gone; if the host traps on faults or records them, that stays, and the logger hears of none.
///
/// Belongs to the host's isolation. The logger is called there, in the middle of a delivery: a handler that waits for
/// its disk has the daemon wait for the answer.
public final class HostLogger {
    private let registrations: [Registration]

    /// Begins to tell the logger.
    ///
    /// - Parameters:
    ///   - host: Whose warnings, levels, origins and faults; it is not kept alive.
    ///   - logger: Where to; its own metadata stays.
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
