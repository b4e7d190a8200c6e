import ResourceManager

/// Takes a transcript with the library's ``TraceRecorder``, and records the controllers' views before each callback.
final class Transcriber {
    private final class Watched {
        let name: String
        weak var controller: ViewController?

        init(_ controller: ViewController) {
            name = String(describing: type(of: controller))
            self.controller = controller
        }
    }

    private let trace: TraceRecorder
    private var look: Registration?
    private var watched: [Watched] = []
    private var looks: [[String: Transcript.Standing]] = []
    private var steps: [Transcript.Step] = []

    init(_ host: ControllerHost) {
        trace = TraceRecorder(host)
        // Registered after the recorder, so there is one record of the views for each of its lines.
        look = host.onLifecycleEvent { [weak self] _ in
            guard let self else { return }
            looks.append(standings)
        }
    }

    /// Adds a controller to the picture, in a lane with the name of its class; does not keep it alive.
    func watch(_ controllers: ViewController...) {
        watched += controllers.map(Watched.init)
        // The callbacks of their creation belong to no step.
        _ = trace.take()
        looks = []
    }

    /// Runs a statement of the program, whose text is recorded.
    func step(_ statement: String, _ body: () -> Void) {
        body()
        let lines = trace.take()
        precondition(lines.count == looks.count, "a fault is no callback: \(lines)")
        let entries = zip(lines, looks).compactMap { line, before -> Transcript.Entry? in
            let parts = line.split(separator: ".", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { return nil }
            return Transcript.Entry(controller: parts[0], callback: parts[1], before: before)
        }
        looks = []
        steps.append(Transcript.Step(statement: statement, entries: entries, after: standings))
    }

    func transcript(_ summary: String, lanes: [String]) -> Transcript {
        Transcript(summary: summary, lanes: lanes, steps: steps)
    }

    private var standings: [String: Transcript.Standing] {
        var standings: [String: Transcript.Standing] = [:]
        for one in watched {
            guard let controller = one.controller else { continue }
            let view = controller.viewIfLoaded
            standings[one.name] = Transcript.Standing(isLoaded: view != nil, isOnWindow: view?.window != nil)
        }
        return standings
    }
}
