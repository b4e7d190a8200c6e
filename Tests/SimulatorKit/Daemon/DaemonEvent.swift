import MemoryPressure
import MemwarnProtocol
import WarningPolicy

/// An event that reaches the daemon's event loop.
enum DaemonEvent {
    indirect case hello(ConnectionNumber, Hello)
    /// The process of a host with this id has been located.
    case located(ConnectionNumber, HostID)
    case answer(ConnectionNumber, round: UInt64, Acknowledgement)
    indirect case reply(ConnectionNumber, UInt64, CommandReply)
    indirect case simulate(ConnectionNumber, Simulate)
    indirect case send(ConnectionNumber, Send)
    case closed(ConnectionNumber)
    case room(ConnectionNumber)
    /// The thread that opens files begins with these.
    indirect case thread(UInt64, SensorPlace, StallPlan)
    indirect case opened(UInt64, Simulation.Opening)
    case fired(UInt64, files: Int, serial: Int, PressureSensor.Trigger)
    indirect case dead(UInt64, files: Int, serial: Int, KernelError)
    case limitsMoved(UInt64)
    case accountingMoved(UInt64)
    case populationMoved(UInt64)
    case appeared(KernelModel.Node)
    case vanished(String)
    case due
    case storeDue
    case settings(Int)

    /// Whether it waits in a socket for the next daemon.
    var isInSocket: Bool {
        switch self {
        case .answer, .reply, .simulate, .send, .closed: true
        default: false
        }
    }
}
