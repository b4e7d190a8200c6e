import MemoryPressure
import MemwarnProtocol

extension ReplayChart {
    private static let left = 64.0
    private static let right = 20.0
    private static let top = 64.0
    private static let plot = 110.0
    private static let band = 14.0
    private static let gap = 64.0
    private static var width: Double { left + Double(columns) + right }

    /// The picture: one file, without scripts, on a light ground or a dark one.
    var svg: String {
        let panel = Self.plot + Self.band + Self.gap
        let height = Self.top + Double(scopes.count) * panel + 24
        var elements = ["<rect class=\"ground\" width=\"\(Self.width)\" height=\"\(height)\"/>", legend]
        for (index, columns) in scopes.enumerated() {
            elements += self.panel(index, columns, top: Self.top + Double(index) * panel + 20)
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.width) \(height)" role="img">
            <title>Memory pressure, replayed: \(replay.announcements.count) announcements in \(ClockTime(replay.end))</title>
            \(Self.style)
            \(elements.joined(separator: "\n"))
            </svg>

            """
    }

    // MARK: Parts

    private var legend: String {
        let entries = [
            ("some", "some (2 s)"), ("full", "full"), ("left", "headroom"), ("rise", "warning from"),
            ("storm", "storm"),
            ("warning", "level warning"), ("critical", "level critical"), ("mark", "announced"),
        ]
        return entries.enumerated().map { index, entry in
            let x = Self.left + Double(index) * 112
            return """
                <rect class="key \(entry.0)" x="\(x)" y="22" width="14" height="10"/>\
                <text x="\(x + 20)" y="31">\(entry.1)</text>
                """
        }.joined(separator: "\n")
    }

    private func panel(_ index: Int, _ columns: [Column], top: Double) -> [String] {
        let bottom = top + Self.plot
        let right = Self.left + Double(Self.columns)
        var elements = [
            "<text class=\"name\" x=\"\(Self.left)\" y=\"\(top - 8)\">\(escaped(replay.header.scopes[index].path))</text>"
        ]
        for storm in storms {
            let (start, end) = (x(storm.start), max(x(storm.start) + 1, x(min(storm.end, replay.end))))
            elements.append(
                "<rect class=\"storm\" x=\"\(start)\" y=\"\(top)\" width=\"\(number(end - start))\" height=\"\(Self.plot)\"/>"
            )
        }
        for percent in [0.0, 25, 50, 75, 100] {
            let y = bottom - Self.plot * percent / 100
            elements.append("<path class=\"grid\" d=\"M\(Self.left) \(y)H\(right)\"/>")
            elements.append("<text class=\"axis\" x=\"\(Self.left - 8)\" y=\"\(y + 4)\">\(Int(percent))%</text>")
        }
        elements.append(area("some", columns.map(\.some), bottom))
        elements.append(area("full", columns.map(\.full), bottom))
        elements.append(headroom(columns, bottom))
        let rise = number(bottom - Self.plot * policy.warning.percent / 100)
        elements.append("<path class=\"rise\" d=\"M\(Self.left) \(rise)H\(right)\"/>")
        elements += bands(columns, top: bottom + 4)
        elements += marks(index, top: top, bottom: bottom + 4 + Self.band)
        elements += times(bottom + 4 + Self.band)
        return elements
    }

    private func area(_ name: String, _ shares: [Share], _ bottom: Double) -> String {
        let points = shares.enumerated().map { column, share in
            "\(number(Self.left + Double(column))) \(number(bottom - Self.plot * share.percent / 100))"
        }
        return """
            <path class="\(name)" d="M\(Self.left) \(bottom)L\(points.joined(separator: "L"))\
            L\(Self.left + Double(Self.columns - 1)) \(bottom)Z"/>
            """
    }

    private func headroom(_ columns: [Column], _ bottom: Double) -> String {
        var path = ""
        var isDrawing = false
        for (column, entry) in columns.enumerated() {
            defer { isDrawing = entry.left != nil }
            guard let left = entry.left else { continue }
            path += "\(isDrawing ? "L" : "M")\(Self.left + Double(column)) "
            path += number(bottom - Self.plot * left.percent / 100)
        }
        return path.isEmpty ? "" : "<path class=\"left\" d=\"\(path)\"/>"
    }

    private func bands(_ columns: [Column], top: Double) -> [String] {
        var elements: [String] = []
        var start = 0
        for column in 1...columns.count where column == columns.count || columns[column].level != columns[start].level {
            elements.append(
                """
                <rect class="\(columns[start].level)" x="\(Self.left + Double(start))" y="\(top)" \
                width="\(column - start)" height="\(Self.band)"/>
                """
            )
            start = column
        }
        return elements
    }

    private func marks(_ scope: Int, top: Double, bottom: Double) -> [String] {
        replay.announcements.filter { $0.scope == scope }.map { announcement in
            let x = x(announcement.at)
            let change =
                switch announcement.change {
                case .rose: "rises"
                case .persists, .returned: "lasts"
                case .fell: "falls"
                }
            let words = escaped("\(ClockTime(announcement.at)) \(announcement.level) \(change): \(announcement.reason)")
            return "<path class=\"mark \(change)\" d=\"M\(x) \(top)V\(bottom)\"><title>\(words)</title></path>"
        }
    }

    private func times(_ top: Double) -> [String] {
        (0...6).map { part in
            let at = replay.end * UInt64(part) / 6
            return "<text class=\"time\" x=\"\(x(at))\" y=\"\(top + 16)\">\(ClockTime(at))</text>"
        }
    }

    // MARK: Writing

    private func x(_ milliseconds: UInt64) -> Double {
        let share = Double(milliseconds) / Double(max(1, replay.end))
        return ((Self.left + Double(Self.columns - 1) * share) * 10).rounded() / 10
    }

    private func number(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }

    private func escaped(_ text: String) -> String {
        var result = ""
        for character in text.escapedForDisplay.unicodeScalars {
            switch character {
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "&": result += "&amp;"
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }

    private static let style = """
        <style>
        svg { font: 12px system-ui, sans-serif }
        .ground { fill: #ffffff } text { fill: #24292f } .grid { stroke: #d8dee4; fill: none }
        .name { font-weight: 600 } .axis { text-anchor: end; font-size: 10px }
        .time { text-anchor: middle; font-size: 10px }
        .storm { fill: #8250df; fill-opacity: 0.14 }
        .some { fill: #bf8700; fill-opacity: 0.45 } .full { fill: #cf222e; fill-opacity: 0.6 }
        path.left { fill: none; stroke: #0969da; stroke-width: 1.5 } rect.left { fill: #0969da }
        path.rise { fill: none; stroke: #bf8700; stroke-dasharray: 4 3 } rect.rise { fill: #bf8700; fill-opacity: 0.2 }
        .normal { fill: #1a7f37; fill-opacity: 0.35 } .warning { fill: #d4a72c } .critical { fill: #cf222e }
        path.mark { stroke: #24292f; fill: none }
        path.lasts { stroke-opacity: 0.35 } path.falls { stroke-dasharray: 2 2 }
        rect.mark { fill: #24292f }
        @media (prefers-color-scheme: dark) {
        .ground { fill: #0d1117 } text { fill: #e6edf3 } .grid { stroke: #30363d }
        path.mark { stroke: #e6edf3 } rect.mark { fill: #e6edf3 }
        path.left { stroke: #58a6ff } rect.left { fill: #58a6ff }
        .storm { fill: #a371f7; fill-opacity: 0.22 }
        }
        </style>
        """
}
