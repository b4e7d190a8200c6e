import MemoryPressure
import MemwarnSettings

/// A mistake in a course, with the number of its step.
struct CourseError: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }

    init(step: Int, _ text: Substring, _ problem: String) {
        description = "step \(step), “\(text)”: \(problem)"
    }
}

extension Course {
    /// The courses that have a name.
    static let named: [String: Self] = ["storm": storm, "flap": flap]

    /// Reads steps such as `warning:2s,critical:500ms,normal`, or the name of a course.
    ///
    /// Without a time a level is held until its answers are in.
    init(parsing text: String) throws(CourseError) {
        if let course = Self.named[text] {
            self = course
            return
        }
        var levels: [(level: PressureLevel, hold: Duration)] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            levels.append(try Self.step(levels.count + 1, part))
        }
        guard levels.count <= Self.limit else { throw CourseError("more than \(Self.limit) steps") }
        self.init(levels)
    }

    private static func step(
        _ number: Int,
        _ text: Substring
    ) throws(CourseError) -> (level: PressureLevel, hold: Duration) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.first, let level = PressureLevel(String(name)) else {
            let names = Self.named.keys.sorted().joined(separator: " or ")
            let alone = number == 1 && parts.count == 1 ? ", or \(names) alone" : ""
            throw CourseError(step: number, text, "no level; say normal, warning or critical\(alone)")
        }
        guard parts.count == 2 else { return (level, .zero) }
        guard let hold = Duration(configured: String(parts[1])) else {
            throw CourseError(step: number, text, "no time; say how long, such as 500ms or 2s")
        }
        return (level, hold)
    }
}
