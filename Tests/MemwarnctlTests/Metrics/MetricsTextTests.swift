import Testing

@testable import memwarnctl

struct MetricsTextTests {
    @Test("a family consists of its help, its type and its series, escaped by the rules of the format")
    func family() {
        var family = MetricFamily("memwarnd_x", .gauge, "A \"line\" \\ and\nanother.")
        #expect(family.text == "")
        family.add(.count(1), ("a", "\"\\\n"), ("b", ""))
        family.add(.flag(true), suffix: "_sum")
        #expect(
            family.text == #"""
                # HELP memwarnd_x A "line" \\ and\nanother.
                # TYPE memwarnd_x gauge
                memwarnd_x{a="\"\\\n",b=""} 1
                memwarnd_x_sum 1

                """#
        )
    }

    @Test("numbers are in base units, and exact")
    func values() {
        let seconds: [UInt64] = [0, 1, 999_999, 1_000_000, 1_500_000, .max]
        #expect(
            seconds.map { "\(MetricValue.seconds(microseconds: $0))" }
                == ["0", "0.000001", "0.999999", "1", "1.5", "18446744073709.551615"]
        )
        #expect("\(MetricValue.seconds(milliseconds: 86_400_250))" == "86400.25")
        #expect(
            [0, 1, 1250, 10_000].map { MetricValue.ratio(basisPoints: $0).description } == [
                "0", "0.0001", "0.125", "1",
            ]
        )
    }

    @Test func aDaemonIsThisText() {
        #expect(Metrics.text(.made, perHost: false) == Self.text)
    }

    @Test("with --per-host, each host has additional series")
    func perHost() {
        let text = Metrics.text(.made, perHost: true)
        #expect(text.hasPrefix(Self.text))
        #expect(String(text.dropFirst(Self.text.count)) == Self.hosts)
    }

    @Test("a host's name cannot control a terminal that shows the metrics")
    func escaped() {
        var family = MetricFamily("a", .gauge, "B.")
        family.add(.count(1), ("name", "\u{1b}[2J\u{202e}\r\n\\\"é"))
        #expect(family.text.split(separator: "\n").last == #"a{name="\\u{1b}[2J\\u{202e}\\u{d}\n\\\"é"} 1"#)
    }
}
