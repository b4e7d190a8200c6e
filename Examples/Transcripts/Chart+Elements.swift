extension Chart {
    /// Colours for light and dark, on a card with its own background, since a picture does not know the page behind it.
    static let style = """
        <style>
        text { font: 13px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #1d1d1f; }
        .name, .call { font-weight: 600; }
        .state, .count, .note { font: 11px system-ui, "Helvetica Neue", Helvetica, Arial, "DejaVu Sans", sans-serif; \
        fill: #6e6e73; }
        .state, .count { text-anchor: end; }
        .card { fill: #ffffff; stroke: #d2d2d7; }
        .head { fill: none; stroke: #86868b; }
        .band { fill: #ececf0; }
        .life { stroke: #b0b0b6; stroke-width: 1.5; }
        .loaded { fill: #d6e6ff; stroke: #3c78d8; }
        .window { fill: #3c78d8; stroke: #3c78d8; }
        .dot { fill: #1d1d1f; stroke: #ffffff; }
        @media (prefers-color-scheme: dark) {
        text { fill: #f5f5f7; }
        .state, .count, .note { fill: #a1a1a6; }
        .card { fill: #1d1d1f; stroke: #424245; }
        .head { stroke: #7c7c80; }
        .band { fill: #333336; }
        .life { stroke: #636367; }
        .loaded { fill: #22385c; stroke: #6ea8ff; }
        .window { fill: #6ea8ff; stroke: #6ea8ff; }
        .dot { fill: #f5f5f7; stroke: #1d1d1f; }
        }
        </style>
        """

    func rectangle(
        _ kind: String,
        _ x: Double,
        _ y: Double,
        _ width: Double,
        _ height: Double,
        radius: Double
    ) -> String {
        """
        <rect class="\(kind)" x="\(number(x))" y="\(number(y))" width="\(number(width))" height="\(number(height))" \
        rx="\(number(radius))"/>
        """
    }

    func line(_ kind: String, _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) -> String {
        """
        <line class="\(kind)" x1="\(number(x1))" y1="\(number(y1))" x2="\(number(x2))" y2="\(number(y2))"/>
        """
    }

    func text(_ kind: String, _ x: Double, _ y: Double, _ content: String) -> String {
        "<text class=\"\(kind)\" x=\"\(number(x))\" y=\"\(number(y))\">\(escaped(content))</text>"
    }

    func number(_ value: Double) -> String {
        value == value.rounded() ? String(Int(value)) : String(value)
    }

    func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            default: escaped.append(character)
            }
        }
        return escaped
    }
}
