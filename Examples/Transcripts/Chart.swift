/// Draws a transcript: a lane for each controller, time downwards.
///
/// A box covers the time in which its view is loaded; it is filled while the view is on window.
struct Chart {
    private let transcript: Transcript
    private var elements: [String] = []
    /// The position at which the next step begins.
    private var top: Double

    private static let margin = 20.0
    private static let numbers = 30.0
    private static let laneWidth = 296.0
    /// From a lane's left edge to its lifeline, which leaves room for the names of the boxes.
    private static let lifeline = 76.0
    private static let boxWidth = 16.0
    private static let headHeight = 30.0
    /// Below the heads, for the views that are loaded at the beginning.
    private static let gap = 22.0
    private static let bandHeight = 26.0
    private static let rowHeight = 24.0

    /// The picture as an SVG document.
    static func svg(of transcript: Transcript) -> String {
        var chart = Chart(transcript)
        return chart.draw()
    }

    private init(_ transcript: Transcript) {
        self.transcript = transcript
        top = Self.margin + Self.headHeight + Self.gap
    }

    private var width: Double { 2 * Self.margin + Self.numbers + Double(transcript.lanes.count) * Self.laneWidth }

    private mutating func draw() -> String {
        let placed = placeSteps()
        let bottom = top
        for (index, lane) in transcript.lanes.enumerated() { draw(lane, at: index, placed, until: bottom) }
        for step in placed { draw(step) }
        let height = bottom + Self.margin
        let frame = rectangle("card", 0.5, 0.5, width - 1, height - 1, radius: 10)
        let size = "\(number(width)) \(number(height))"
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(number(width))" height="\(number(height))" \
            viewBox="0 0 \(size)" role="img">
            <title>\(escaped(transcript.summary))</title>
            \(Self.style)
            \(([frame] + elements).joined(separator: "\n"))
            </svg>

            """
    }

    // MARK: Positions

    private struct Placed {
        let step: Transcript.Step
        let top: Double
        /// The entries that have a lane, with their places.
        var rows: [(entry: Transcript.Entry, number: Int, y: Double)] = []
        let bottom: Double
    }

    private mutating func placeSteps() -> [Placed] {
        var count = 0
        return transcript.steps.map { step in
            let shown = step.entries.filter { transcript.lanes.contains($0.controller) }
            let first = top + Self.bandHeight + 6
            let rows = max(1, shown.count)
            var placed = Placed(step: step, top: top, bottom: first + Double(rows) * Self.rowHeight + 6)
            for (index, entry) in shown.enumerated() {
                count += 1
                placed.rows.append((entry, count, first + (Double(index) + 0.5) * Self.rowHeight))
            }
            top = placed.bottom
            return placed
        }
    }

    private func axis(_ index: Int) -> Double {
        Self.margin + Self.numbers + Double(index) * Self.laneWidth + Self.lifeline
    }

    // MARK: Lanes

    private mutating func draw(_ lane: String, at index: Int, _ placed: [Placed], until bottom: Double) {
        let x = axis(index)
        let own = placed.flatMap(\.rows).filter { $0.entry.controller == lane }
        let begin = own.first { $0.entry.callback == "init" }?.y ?? Self.margin + Self.headHeight
        let end = own.first { $0.entry.callback == "deinit" }?.y ?? bottom
        let left = x - Self.lifeline + 4
        elements.append(rectangle("head", left, Self.margin, Self.laneWidth - 12, Self.headHeight, radius: 6))
        elements.append(text("name", left + 12, Self.margin + 20, lane))
        elements.append(line("life", x, begin, x, end))
        let changes = changes(of: lane, placed)
        drawBoxes("loaded", at: x, changes.map { ($0.y, $0.standing?.isLoaded ?? false) }, until: bottom)
        drawBoxes("window", at: x, changes.map { ($0.y, $0.standing?.isOnWindow ?? false) }, until: bottom)
        for (y, name) in names(of: changes) { elements.append(text("state", x - Self.boxWidth / 2 - 5, y + 12, name)) }
    }

    private typealias Change = (y: Double, standing: Transcript.Standing?)

    /// From where on a controller stood how, or was not there; what changed in a callback is drawn behind that.
    private func changes(of lane: String, _ placed: [Placed]) -> [Change] {
        var changes: [Change] = []
        var y = Self.margin + Self.headHeight
        func add(_ standing: Transcript.Standing?) {
            if changes.isEmpty || changes.last?.standing != standing { changes.append((y, standing)) }
        }
        for step in placed {
            for row in step.rows {
                add(row.entry.before[lane])
                y = row.y + Self.rowHeight / 2
            }
            add(step.step.after[lane])
        }
        return changes
    }

    private mutating func drawBoxes(
        _ kind: String,
        at x: Double,
        _ states: [(y: Double, is: Bool)],
        until bottom: Double
    ) {
        var start: Double?
        for (y, isSo) in states + [(bottom, false)] where isSo != (start != nil) {
            if let start {
                elements.append(rectangle(kind, x - Self.boxWidth / 2, start, Self.boxWidth, y - start, radius: 3))
            }
            start = isSo ? y : nil
        }
    }

    /// The labels beside the beginnings of the boxes.
    private func names(of changes: [Change]) -> [(y: Double, name: String)] {
        var wasLoaded = false
        return changes.compactMap { y, standing in
            defer { wasLoaded = standing?.isLoaded ?? false }
            guard let standing else { return nil }
            guard standing.isLoaded else { return wasLoaded ? (y, "unloaded") : nil }
            return (y, standing.isOnWindow ? "on window" : "loaded")
        }
    }

    // MARK: Steps

    private mutating func draw(_ placed: Placed) {
        elements.append(rectangle("band", Self.margin, placed.top, width - 2 * Self.margin, Self.bandHeight, radius: 4))
        elements.append(text("call", Self.margin + 10, placed.top + 17.5, placed.step.statement))
        for (entry, count, y) in placed.rows {
            guard let lane = transcript.lanes.firstIndex(of: entry.controller) else { continue }
            let x = axis(lane)
            elements.append(text("count", Self.margin + 22, y + 4, String(count)))
            elements.append("<circle class=\"dot\" cx=\"\(number(x))\" cy=\"\(number(y))\" r=\"3\"/>")
            elements.append(text("callback", x + Self.boxWidth / 2 + 10, y + 4.5, entry.callback))
        }
        if placed.rows.isEmpty {
            let y = placed.top + Self.bandHeight + 6 + Self.rowHeight / 2 + 4.5
            elements.append(text("note", axis(0) + Self.boxWidth / 2 + 10, y, "nothing is called"))
        }
    }
}
