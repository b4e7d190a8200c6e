import CLinux
import MemoryPressure
import Systemd

/// The D-Bus name of low-memory-monitor: programs with GLib's `GMemoryMonitor` receive the host's warnings by it.
///
/// It waits for a missing bus without periodic wake-ups: by inotify if there is no socket, otherwise by a timer with
/// growing intervals. Hosts play no part in it: listeners on the bus do not register.
final class LowMemoryMonitorDoor {
    /// The name, and the interface of its only object.
    static let name = "org.freedesktop.LowMemoryMonitor"
    private static let path = "/org/freedesktop/LowMemoryMonitor"

    /// The state of the door.
    enum State: Equatable {
        /// There is no bus yet, or it has not answered.
        case waiting(String)
        /// The name is owned, and listeners receive warnings.
        case open
        /// Listeners receive nothing until the daemon is restarted.
        case off(String)
    }

    private(set) var state = State.waiting("not connected yet")
    /// Called when the state changes.
    var changed: (State) -> Void = { _ in }

    private let kind: Bus.Kind
    private let loop: EventLoop
    private var bus: Bus?
    private var arrival: PathArrival?
    private var retry: TimerSource?
    private var signal: DeferredSource?
    private var pending: UInt8?
    private var pause = shortestPause

    /// A restarted bus is ready within seconds; if a bus refuses the daemon for longer, an administrator has to
    /// intervene.
    private static let shortestPause = Duration.seconds(1)
    private static let longestPause = Duration.seconds(300)

    /// Prepares the request for the name; nothing happens until ``begin()``.
    init(_ kind: Bus.Kind, loop: EventLoop) throws(SystemdError) {
        self.kind = kind
        self.loop = loop
        retry = try loop.timer(accuracy: .seconds(1)) { self.connect() }
        // After the last send of a round, and after all other pending work: no host waits for the bus.
        signal = try loop.deferred(priority: .idle) { self.emit() }
    }

    /// Connects, now or as soon as there is a bus.
    func begin() {
        connect()
    }

    /// Announces a level of the host that rose or was repeated, when no more important source is pending.
    func warn(_ level: PressureLevel, isRepeated: Bool) {
        guard state == .open else { return }
        pending =
            switch level {
            case .normal: nil
            // The values that low-memory-monitor sends at "low", at "medium" and at "critical".
            case .warning: isRepeated ? 100 : 50
            case .critical: 255
            }
        if pending != nil { signal?.schedule() }
    }

    private func emit() {
        guard let byte = pending, state == .open else { return }
        pending = nil
        // A failed signal is lost: the next repetition sends another, and a bus connection reports its end itself.
        try? bus?.emitSignal(path: Self.path, interface: Self.name, member: "LowMemoryWarning", byte: byte)
    }

    // MARK: The connection

    private func connect() {
        arrival = nil
        do throws(SystemdError) {
            let bus = try Bus(kind, on: loop) { self.lose("the bus went away") }
            self.bus = bus
            try bus.addLowMemoryObject(path: Self.path, interface: Self.name)
            try bus.requestName(Self.name) { self.answered($0) }
        } catch {
            lose("\(error)")
        }
    }

    private func answered(_ result: Bus.NameResult) {
        switch result {
        case .acquired:
            pause = Self.shortestPause
            set(.open)
        case .taken:
            stop("the name \(Self.name) belongs to another program")
        // A bus policy does not change by itself.
        case .failed(let error) where error.errno == EACCES || error.errno == EPERM:
            stop("\(error); allow it in a policy of the bus")
        case .failed(let error):
            lose("\(error)")
        }
    }

    private func stop(_ reason: String) {
        bus = nil
        set(.off(reason))
    }

    private func lose(_ reason: String) {
        bus = nil
        pending = nil
        set(.waiting(reason))
        if let path = BusAddress.socketPath(of: kind) {
            arrival = PathArrival(of: path, loop: loop) { self.connect() }
        }
        // inotify reports the creation of the socket, so no timer has to look for it.
        guard arrival == nil else { return }
        retry?.arm(after: pause)
        pause = min(pause * 2, Self.longestPause)
    }

    private func set(_ new: State) {
        guard new != state else { return }
        state = new
        changed(new)
    }
}
