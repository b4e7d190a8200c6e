/// A time since the beginning of a recording, formatted for people: `0:07.5`, `12:00.0`, `1:00:00.0`.
struct ClockTime: CustomStringConvertible {
    let milliseconds: UInt64

    init(_ milliseconds: UInt64) {
        self.milliseconds = milliseconds
    }

    var description: String {
        let tenths = milliseconds / 100
        let (hours, minutes, seconds) = (tenths / 36_000, tenths / 600 % 60, tenths / 10 % 60)
        let rest = "\(Self.two(seconds)).\(tenths % 10)"
        return hours > 0 ? "\(hours):\(Self.two(minutes)):\(rest)" : "\(minutes):\(rest)"
    }

    private static func two(_ number: UInt64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
