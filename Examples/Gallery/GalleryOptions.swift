import Glibc

/// The options of the gallery's command line.
struct GalleryOptions {
    var name = "gallery"
    var pictures = 8
    var mebibytes = 16
    var cacheMebibytes = 32
    var socket: String?
    /// The interval between pictures; `nil` to show no further picture.
    var visitInterval: Duration?
    var ignoresWarnings = false

    private static let usage = """
        usage: gallery [--name NAME] [--pictures N] [--mib N] [--cache-mib N] [--visit-ms N] [--socket PATH]
                       [--ignore-warnings]

          --name NAME        register under this name (gallery)
          --pictures N       the number of controllers; the first is shown (8)
          --mib N            the size of each controller's view (16)
          --cache-mib N      the size of the cache (32)
          --visit-ms N       the interval between pictures, while memory is not short (0: show no other)
          --socket PATH      the daemon's socket ($MEMWARND_SOCKET, or the system's, or the user's own)
          --ignore-warnings  receive no memory warnings, for comparison
        """

    init(_ arguments: some Sequence<String>) {
        var rest = arguments.makeIterator()
        while let option = rest.next() {
            func value() -> String {
                guard let value = rest.next() else { Self.refuse("\(option) needs a value") }
                return value
            }
            func number(_ range: ClosedRange<Int>) -> Int {
                let text = value()
                guard let number = Int(text), range.contains(number) else {
                    Self.refuse("\(option) takes a number from \(range.lowerBound) to \(range.upperBound), not \(text)")
                }
                return number
            }
            switch option {
            case "--name": name = value()
            case "--socket": socket = value()
            case "--pictures": pictures = number(1...10_000)
            case "--mib": mebibytes = number(0...4_096)
            case "--cache-mib": cacheMebibytes = number(0...65_536)
            case "--visit-ms":
                let milliseconds = number(0...3_600_000)
                visitInterval = milliseconds > 0 ? .milliseconds(milliseconds) : nil
            case "--ignore-warnings": ignoresWarnings = true
            case "--help":
                Log.line(Self.usage)
                exit(0)
            default: Self.refuse("unknown option \(option)")
            }
        }
    }

    private static func refuse(_ message: String) -> Never {
        Log.line("\(message)\n\(usage)")
        exit(64)
    }
}
