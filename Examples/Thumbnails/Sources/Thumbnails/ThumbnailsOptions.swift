import Glibc

/// The options of the command line.
struct ThumbnailsOptions {
    enum Command {
        case serve
        case makeOriginals
    }

    var command = Command.serve
    var originals = "originals"
    var port = 8080
    var idleTime = Duration.seconds(60)
    var socket: String?
    var ignoresWarnings = false
    var clients = 24
    var photos = 4
    var width = 1200
    var height = 900

    static let usage = """
        usage: thumbnails [--originals DIR] [--port N] [--idle SECONDS] [--socket PATH] [--ignore-warnings]
               thumbnails make-originals [--originals DIR] [--clients N] [--photos N] [--width N] [--height N]

          --originals DIR    the folder of the photos, CLIENT-PHOTO.jpg (originals)
          --port N           serve on this port of 127.0.0.1 (8080)
          --idle SECONDS     a client without requests for this time is idle (60)
          --socket PATH      memwarnd's socket ($MEMWARND_SOCKET, or the system's)
          --ignore-warnings  receive no memory warnings, for comparison
          --clients, --photos, --width, --height
                             the number of clients, of photos for each, and their size (24, 4, 1200 by 900)
        """

    init(_ arguments: some Sequence<String>) throws {
        var rest = Array(arguments)[...]
        if rest.first == "make-originals" {
            command = .makeOriginals
            rest.removeFirst()
        }
        while let option = rest.popFirst() {
            if option == "--ignore-warnings" {
                ignoresWarnings = true
                continue
            }
            guard let value = rest.popFirst() else { throw UsageError("\(option) needs a value") }
            switch option {
            case "--originals": originals = value
            case "--socket": socket = value
            case "--port": port = try Self.number(value, 0...65_535, option)
            case "--idle": idleTime = .seconds(try Self.number(value, 0...86_400, option))
            case "--clients": clients = try Self.number(value, 1...10_000, option)
            case "--photos": photos = try Self.number(value, 1...1_000, option)
            case "--width": width = try Self.number(value, 16...10_000, option)
            case "--height": height = try Self.number(value, 16...10_000, option)
            default: throw UsageError("there is no option \(option)")
            }
        }
    }

    private static func number(_ text: String, _ range: ClosedRange<Int>, _ option: String) throws -> Int {
        guard let number = Int(text), range.contains(number) else {
            throw UsageError("\(option) takes a number from \(range.lowerBound) to \(range.upperBound), not \(text)")
        }
        return number
    }
}

/// A mistake in the command line.
struct UsageError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
