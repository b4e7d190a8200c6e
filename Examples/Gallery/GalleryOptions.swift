import Glibc

/// What the gallery's command line says.
struct GalleryOptions {
    var name = "gallery"
    var pictures = 8
    var mebibytes = 16
    var cacheMebibytes = 32
    var socket: String?
    /// How often somebody looks at the next picture; `nil` for never.
    var visitInterval: Duration?

    private static let usage = """
        usage: gallery [--name NAME] [--pictures N] [--mib N] [--cache-mib N] [--visit-ms N] [--socket PATH]

          --name NAME     register under this name (gallery)
          --pictures N    so many controllers, the first of which is shown (8)
          --mib N         the size of each one's view (16)
          --cache-mib N   the size of the cache (32)
          --visit-ms N    look at the next picture so often, while memory is not short (0: never)
          --socket PATH   where the daemon listens ($MEMWARND_SOCKET, or the system's, or the user's own)
        """

    init(_ arguments: some Sequence<String>) {
        var rest = arguments.makeIterator()
        while let option = rest.next() {
            guard let value = rest.next() else { Self.refuse("\(option) needs a value") }
            switch option {
            case "--name": name = value
            case "--socket": socket = value
            case "--pictures": pictures = Self.number(value, 1...10_000, option)
            case "--mib": mebibytes = Self.number(value, 0...4_096, option)
            case "--cache-mib": cacheMebibytes = Self.number(value, 0...65_536, option)
            case "--visit-ms":
                let milliseconds = Self.number(value, 0...3_600_000, option)
                visitInterval = milliseconds > 0 ? .milliseconds(milliseconds) : nil
            default: Self.refuse("unknown option \(option)")
            }
        }
    }

    private static func number(_ text: String, _ range: ClosedRange<Int>, _ option: String) -> Int {
        guard let number = Int(text), range.contains(number) else {
            refuse("\(option) takes a number from \(range.lowerBound) to \(range.upperBound), not \(text)")
        }
        return number
    }

    private static func refuse(_ message: String) -> Never {
        Log.line("\(message)\n\(usage)")
        exit(64)
    }
}
