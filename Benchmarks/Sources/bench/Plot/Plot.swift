internal import BenchSupport

/// Draws a ``Recording``: resident memory and the cache's bytes over time.
struct Plot {
    private let samples: [Recording.Sample]
    /// The upper end of the scale, in bytes.
    private let top: Double

    private static let width = 760.0
    private static let height = 380.0
    private static let left = 70.0
    private static let right = 24.0
    private static let above = 56.0
    private static let below = 44.0
    /// The distance between two grid lines, in bytes.
    private static let step = 200e6

    /// The picture as an SVG document.
    static func svg(of recording: Recording) -> String {
        Plot(recording.samples).draw()
    }

    private init(_ samples: [Recording.Sample]) {
        self.samples = samples
        let most = samples.map { Double(max($0.resident, UInt64(max(0, $0.cached)))) }.max() ?? 0
        top = Self.step * (most / Self.step).rounded(.up)
    }

    private func draw() -> String {
        let elements =
            grid() + marks() + [
                curve("resident", samples.map { Double($0.resident) }),
                curve("cached", samples.map { Double($0.cached) }),
            ] + legend()
        let size = "\(number(Self.width)) \(number(Self.height))"
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(number(Self.width))" height="\(number(Self.height))" \
            viewBox="0 0 \(size)" role="img">
            <title>Resident memory of a service and its cache's bytes over \(number(Recording.length)) s: a warning, \
            then relief.</title>
            \(Self.style)
            <rect class="card" x="0.5" y="0.5" width="\(number(Self.width - 1))" height="\(number(Self.height - 1))" \
            rx="10"/>
            \(elements.joined(separator: "\n"))
            </svg>

            """
    }

    // MARK: Coordinates

    private func x(_ seconds: Double) -> Double {
        Self.left + seconds / Recording.length * (Self.width - Self.left - Self.right)
    }

    private func y(_ bytes: Double) -> Double {
        Self.height - Self.below - bytes / top * (Self.height - Self.above - Self.below)
    }

    // MARK: Elements

    private func grid() -> [String] {
        var elements: [String] = []
        for bytes in stride(from: 0, through: top, by: Self.step) {
            elements.append(line("grid", x(0), y(bytes), x(Recording.length), y(bytes)))
            elements.append(text("scale end", x(0) - 8, y(bytes) + 4, "\((bytes / 1e6).decimal(0)) MB"))
        }
        for seconds in stride(from: 0, through: Recording.length, by: 5) {
            elements.append(text("scale middle", x(seconds), y(0) + 20, "\(seconds.decimal(0)) s"))
        }
        return elements
    }

    private func marks() -> [String] {
        [(Recording.warned, "warning"), (Recording.relieved, "normal")].flatMap { seconds, name in
            [
                line("mark", x(seconds), y(top), x(seconds), y(0)),
                text("scale middle", x(seconds), y(top) - 6, name),
            ]
        }
    }

    private func curve(_ kind: String, _ values: [Double]) -> String {
        let points = zip(samples, values).map { sample, bytes in
            "\(x(min(sample.seconds, Recording.length)).decimal(1)),\(y(bytes).decimal(1))"
        }
        return "<polyline class=\"\(kind)\" points=\"\(points.joined(separator: " "))\"/>"
    }

    private func legend() -> [String] {
        let y = 26.0
        return [
            line("resident", Self.left, y, Self.left + 24, y),
            text("name", Self.left + 32, y + 4.5, "resident memory"),
            line("cached", Self.left + 190, y, Self.left + 214, y),
            text("name", Self.left + 222, y + 4.5, "the cache's bytes"),
        ]
    }

    private func line(_ kind: String, _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) -> String {
        """
        <line class="\(kind)" x1="\(number(x1))" y1="\(number(y1))" x2="\(number(x2))" y2="\(number(y2))"/>
        """
    }

    private func text(_ kind: String, _ x: Double, _ y: Double, _ content: String) -> String {
        "<text class=\"\(kind)\" x=\"\(number(x))\" y=\"\(number(y))\">\(content)</text>"
    }

    private func number(_ value: Double) -> String {
        value == value.rounded() ? value.decimal(0) : value.decimal(1)
    }

    /// Colours for light and dark mode.
    ///
    /// The picture has its own card, since its background is unknown.
    private static let style = """
        <style>
        text { font: 12px system-ui, "Helvetica Neue", Helvetica, Arial, "DejaVu Sans", sans-serif; fill: #1d1d1f; }
        .scale { fill: #6e6e73; }
        .end { text-anchor: end; }
        .middle { text-anchor: middle; }
        .card { fill: #ffffff; stroke: #d2d2d7; }
        .grid { stroke: #ececf0; }
        .mark { stroke: #86868b; stroke-dasharray: 3 3; }
        .resident, .cached { fill: none; stroke-width: 2; stroke-linejoin: round; }
        .resident { stroke: #3c78d8; }
        .cached { stroke: #d9822b; }
        @media (prefers-color-scheme: dark) {
        text { fill: #f5f5f7; }
        .scale { fill: #a1a1a6; }
        .card { fill: #1d1d1f; stroke: #424245; }
        .grid { stroke: #333336; }
        .mark { stroke: #7c7c80; }
        .resident { stroke: #6ea8ff; }
        .cached { stroke: #ffb066; }
        }
        </style>
        """
}
