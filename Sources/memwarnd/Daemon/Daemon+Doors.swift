import MemoryPressure
import MemwarnProtocol
import Systemd

extension Daemon {
    /// Begins to listen to the doors, and has the log tell of those that are open or cannot be.
    func openDoors() {
        door.delegate = self
        pressureDoor?.delegate = self
        observers.gone = { [unowned self] in door.drop($0) }
        observers.deaf = { [unowned self] peer in
            let refusal = Refusal(code: .tooManyPeers, message: "it does not read what it subscribed to")
            door.refuse(peer, sequence: peer.subscription ?? 0, refusal)
        }
        if let pressureDoor { log.opened("pressure socket", at: pressureDoor.path) }
        if let pressureFailure { log.unavailable("pressure socket", pressureFailure) }
        lowMemoryMonitor?.changed = { [unowned self] in report($0) }
    }

    private func report(_ state: LowMemoryMonitorDoor.State) {
        switch state {
        case .open: log.opened("D-Bus door", at: LowMemoryMonitorDoor.name)
        case .waiting(let reason): log.closed("D-Bus door", "\(reason); it opens when there is a bus")
        case .off(let reason): log.unavailable("D-Bus door", reason)
        }
    }

    /// The ways in, and why one of them is closed, for people.
    var doors: String {
        let pressure = pressureDoor?.path ?? pressureFailure ?? "off"
        let bus =
            switch lowMemoryMonitor?.state {
            case .open: LowMemoryMonitorDoor.name
            case .waiting(let reason): "waits for the bus: \(reason)"
            case .off(let reason): "off: \(reason)"
            case nil: "off"
            }
        return "native \(door.path); pressure \(pressure); D-Bus \(bus)".prefix(utf8: TextLimit.message.upperBound)
    }
}
