/// Where a controller stands on its way into service and out of it (rules 3.1, 3.14 to 3.17).
///
/// Transitions are counted: each begin in the direction under way asks for one more end. A begin in the other direction
/// turns the transition round; what the turned one was still waiting for is forgotten, which ``serial`` makes visible.
struct Appearance {
    enum Phase {
        case disappeared
        case appearing
        case appeared
        case disappearing
    }

    enum Beginning {
        /// It is there already: nothing happens, and no end is due.
        case alreadyThere
        /// The transition under way waits for one more end.
        case joined
        /// A transition started, or the one under way was turned round: the will-callback is due.
        case started
    }

    enum Ending {
        /// There was nothing to end.
        case unbalanced
        /// Further ends are due.
        case pending
        /// The did-callback is due.
        case finished
    }

    private(set) var phase = Phase.disappeared
    /// Changes with each transition.
    private(set) var serial = 0
    private var pendingEnds = 0
    /// The transition that the parent passed on, and will end.
    private var forwardedSerial: Int?

    var isUnderWay: Bool { pendingEnds > 0 }
    var isForwarded: Bool { isUnderWay && forwardedSerial == serial }
    /// Whether the controller is in service or on its way there.
    var isTowardsAppeared: Bool { phase == .appeared || phase == .appearing }

    mutating func begin(_ isAppearing: Bool, isForwarded: Bool) -> Beginning {
        let beginning: Beginning
        switch (phase, isAppearing) {
        case (.appeared, true), (.disappeared, false):
            return .alreadyThere
        case (.appearing, true), (.disappearing, false):
            // What the parent passes on twice, because a callback has brought the child in meanwhile, it ends once.
            if !isForwarded || !self.isForwarded { pendingEnds += 1 }
            beginning = .joined
        case (.disappeared, true), (.disappearing, true), (.appeared, false), (.appearing, false):
            phase = isAppearing ? .appearing : .disappearing
            serial += 1
            pendingEnds = 1
            beginning = .started
        }
        if isForwarded { forwardedSerial = serial }
        return beginning
    }

    mutating func end() -> Ending {
        guard isUnderWay else { return .unbalanced }
        pendingEnds -= 1
        guard pendingEnds == 0 else { return .pending }
        phase = phase == .appearing ? .appeared : .disappeared
        return .finished
    }

    /// Out of service without another word.
    mutating func abandon() {
        self.phase = .disappeared
        serial += 1
        pendingEnds = 0
    }
}

/// One begin of a transition that is to be ended once, unless the transition was turned round meanwhile.
struct AppearanceTransition {
    let controller: ViewController
    let serial: Int

    var isUnderWay: Bool {
        controller.appearance.isUnderWay && controller.appearance.serial == serial
    }

    func end() {
        if isUnderWay { controller.endAppearanceTransition() }
    }

    /// Ends a transition; turns an arrival round if a callback has taken the place where it leads out of service.
    func end(isServing: Bool) {
        guard !isServing, isUnderWay, controller.appearance.phase == .appearing else { return end() }
        controller.begin(false)?.end()
    }
}
