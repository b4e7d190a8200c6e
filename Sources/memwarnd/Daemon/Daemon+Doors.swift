import MemoryPressure
import MemwarnProtocol
import Systemd

extension Daemon {
    /// Begins to listen at the native door, and to serve its subscribers.
    func openNativeDoor() {
        door.delegate = self
        observers.gone = { self.door.drop($0) }
        observers.deaf = { peer in
            let refusal = Refusal(code: .tooManyPeers, message: "it does not read the records of its subscription")
            self.door.refuse(peer, sequence: peer.subscription ?? 0, refusal)
        }
    }

    /// Logs the state of the door on D-Bus.
    func report(_ state: LowMemoryMonitorDoor.State) {
        switch state {
        case .open: log.opened("D-Bus door", at: LowMemoryMonitorDoor.name)
        case .waiting(let reason): log.closed("D-Bus door", "\(reason); it opens when there is a bus")
        case .off(let reason): log.unavailable("D-Bus door", reason)
        }
    }

    /// The doors, and the reason if one of them is closed, for output.
    var doors: String {
        let other = awaitsConfiguration ? "closed until the configuration is corrected" : "off"
        let pressure = pressureDoor?.path ?? pressureFailure ?? other
        let bus =
            switch lowMemoryMonitor?.state {
            case .open: LowMemoryMonitorDoor.name
            case .waiting(let reason): "waits for the bus: \(reason)"
            case .off(let reason): "off: \(reason)"
            case nil: other
            }
        return "native \(door.path); pressure \(pressure); D-Bus \(bus)".prefix(utf8: TextLimit.message.upperBound)
    }
}
