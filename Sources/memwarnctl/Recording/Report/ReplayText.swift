import MemwarnProtocol

extension ReplayCounts {
    static func table(_ scopes: [Self]) -> String {
        var table = Table([
            .left("SCOPE"), .right("TO WARNING"), .right("TO CRITICAL"), .right("REPEATS"), .right("FLAPS"),
            .right("NORMAL"), .right("WARNING"), .right("CRITICAL"),
        ])
        for scope in scopes {
            table.add(
                [scope.scope.escapedForDisplay]
                    + [scope.risesToWarning, scope.risesToCritical, scope.repeats, scope.flaps].map { "\($0)" }
                    + [scope.normalTime, scope.warningTime, scope.criticalTime].map { "\(ClockTime($0))" }
            )
        }
        return table.text
    }
}

extension ReplayVerdict {
    /// For example `3 storms, 0 missed, 0 false alarms; first warning after 2.1 s, 3.0 s at worst`, in the middle.
    var outcome: String {
        "\(Self.count(storms, "storm")), \(missed.count) missed, \(Self.count(falseAlarms.count, "false alarm"))"
            + Self.text(of: warningLateness, "first warning") + Self.text(of: criticalLateness, "first critical")
    }

    /// The outcome, and the times of false alarms and missed storms.
    var text: String {
        var lines = [outcome]
        if !falseAlarms.isEmpty { lines.append("false alarms at \(Self.list(falseAlarms.map { "\(ClockTime($0))" }))") }
        if !missed.isEmpty {
            lines.append("missed: \(Self.list(missed.map { "\(ClockTime($0.start)) to \(ClockTime($0.end))" }))")
        }
        return lines.joined(separator: "\n")
    }

    private static func count(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    private static func text(of lateness: [UInt64], _ what: String) -> String {
        guard let median = lateness.median, let worst = lateness.max() else { return "" }
        return "; \(what) after \(Self.seconds(median)), \(Self.seconds(worst)) at worst"
    }

    private static func seconds(_ milliseconds: UInt64) -> String {
        "\(milliseconds / 1000).\(milliseconds % 1000 / 100) s"
    }

    private static func list(_ texts: [String]) -> String {
        let shown = texts.prefix(20).joined(separator: ", ")
        return texts.count > 20 ? "\(shown) and \(texts.count - 20) more" : shown
    }
}
