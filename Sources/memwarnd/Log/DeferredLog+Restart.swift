import MemwarnProgram

extension DeferredLog {
    /// Hosts of an earlier daemon were taken over.
    func tookOver(_ count: Int, of kept: Int) {
        let message = "took over \(count) of the \(counted(kept, "host")) of an earlier daemon"
        entry(.hostsTakenOver, message, [("MEMWARND_HOSTS", "\(count)"), ("MEMWARND_KEPT", "\(kept)")])
    }

    /// The service manager has kept unknown descriptors.
    func closedUseless(_ names: [String]) {
        let names = names.joined(separator: ", ")
        let message = "closed unknown descriptors that the service manager had kept: \(names)"
        entry(.storeUseless, message, [("MEMWARND_NAMES", names)])
    }

    /// Not everything can be kept over a restart.
    func cannotKeep(_ reason: String) {
        entry(.storeFull, "cannot keep everything over a restart: \(reason)", [("MEMWARND_REASON", reason)])
    }

    /// A part of the configuration is not in force; the rest is.
    func ignored(_ reason: String) {
        let message = "a part of the configuration is not in force: \(reason)"
        entry(.configurationIgnored, message, [("MEMWARND_REASON", reason)])
    }

    /// The daemon's memory may be swapped out.
    func notLocked(_ reason: String) {
        let message = "\(reason); where it may be swapped out, give it LimitMEMLOCK=infinity or CAP_IPC_LOCK"
        entry(.memoryNotLocked, message, [("MEMWARND_REASON", reason)])
    }
}
