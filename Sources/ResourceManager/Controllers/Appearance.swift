/// A controller's position between in service and out of service (rules 3.1, 3.14 to 3.17).
///
/// A transition ends when every driver that began or joined it has ended it. A begin in the opposite direction reverses
/// it; the ends that the old transition was waiting for are forgotten, and ``serial`` changes.
struct Appearance {
    enum Phase {
        case disappeared
        case appearing
        case appeared
        case disappearing
    }

    /// The part of the system that begins a transition, and has to end it.
    enum Driver {
        /// The program. Its calls are counted: each begin needs an end.
        case program
        /// An operation. Nested operations share the transition, and the first that is done with it ends it for all.
        case operation
        /// The exchange, while the controller drains between its two parts.
        case drain
        /// The parent, which forwards its own transition.
        case parent
    }

    enum Beginning {
        /// The controller is there already: nothing happens, and no end is due.
        case alreadyThere
        /// The transition under way waits for one more end.
        case joined
        /// A transition started, or the one under way was reversed: the will-callback is due.
        case started
    }

    enum Ending {
        /// The driver had nothing to end.
        case unbalanced
        /// Further ends are due.
        case pending
        /// The did-callback is due.
        case finished
    }

    private struct Drivers: OptionSet {
        let rawValue: UInt8
        static let operation = Self(rawValue: 1)
        static let drain = Self(rawValue: 2)
        static let parent = Self(rawValue: 4)

        init(rawValue: UInt8) { self.rawValue = rawValue }

        init(_ driver: Driver) {
            switch driver {
            case .program: self = []
            case .operation: self = .operation
            case .drain: self = .drain
            case .parent: self = .parent
            }
        }
    }

    private(set) var phase = Phase.disappeared
    /// Differs for each transition.
    private(set) var serial: UInt32 = 0
    private var programEnds: Int32 = 0
    private var drivers: Drivers = []
    /// Whether the children have been told of the transition under way.
    var isPassedOn = false

    var isUnderWay: Bool { phase == .appearing || phase == .disappearing }
    /// Whether the controller is in service or on its way there.
    var isTowardsAppeared: Bool { phase == .appeared || phase == .appearing }

    /// Whether the transition under way waits for this driver's end.
    func isDriven(by driver: Driver) -> Bool {
        driver == .program ? programEnds > 0 : !drivers.isDisjoint(with: Drivers(driver))
    }

    mutating func begin(_ isAppearing: Bool, by driver: Driver) -> Beginning {
        let beginning: Beginning
        switch (phase, isAppearing) {
        case (.appeared, true), (.disappeared, false):
            return .alreadyThere
        case (.appearing, true), (.disappearing, false):
            beginning = .joined
        case (.disappeared, true), (.disappearing, true), (.appeared, false), (.appearing, false):
            phase = isAppearing ? .appearing : .disappearing
            serial &+= 1
            programEnds = 0
            drivers = []
            isPassedOn = false
            beginning = .started
        }
        if driver == .program { programEnds += 1 } else { drivers.formUnion(Drivers(driver)) }
        return beginning
    }

    mutating func end(by driver: Driver) -> Ending {
        guard isDriven(by: driver) else { return .unbalanced }
        if driver == .program { programEnds -= 1 } else { drivers.subtract(Drivers(driver)) }
        // When the parent has left service, so has the child, whatever other driver was taking it out.
        if driver == .parent, phase == .disappearing { drivers.subtract(.operation) }
        guard programEnds == 0, drivers.isEmpty else { return .pending }
        phase = phase == .appearing ? .appeared : .disappeared
        return .finished
    }

    /// Removes a driver from a transition that has others; `false` if it has none.
    mutating func leave(_ driver: Driver) -> Bool {
        let others = drivers.subtracting(Drivers(driver))
        guard programEnds > 0 || !others.isEmpty else { return false }
        drivers = others
        return true
    }

    /// Sets the state from in service to out of service, without callbacks; the did-callbacks of the last transition, which
    /// may be under way, are still due in the children.
    mutating func endService() {
        if phase == .appeared { phase = .disappeared }
    }

    /// Sets the state to out of service, without callbacks.
    mutating func abandon() {
        phase = .disappeared
        serial &+= 1
        programEnds = 0
        drivers = []
    }
}
