import Glibc

/// The options of the service's command line.
struct SearchServiceOptions {
    var name = "search-service"
    /// The folder of the storyboard and the nibs, which are beside this source.
    var archives = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    var state = "search-service.state.json"
    var socket: String?

    private static let usage = """
        usage: searchservice [--name NAME] [--archives FOLDER] [--state FILE] [--socket PATH]

          --name NAME        register under this name (search-service)
          --archives FOLDER  the folder of Main.storyboard.json (the example's own)
          --state FILE       the state that is kept over a restart (search-service.state.json)
          --socket PATH      the daemon's socket ($MEMWARND_SOCKET, or the system's, or the user's own)
        """

    init(_ arguments: some Sequence<String>) {
        var rest = arguments.makeIterator()
        while let option = rest.next() {
            guard let value = rest.next() else { Self.refuse("\(option) needs a value") }
            switch option {
            case "--name": name = value
            case "--archives": archives = value
            case "--state": state = value
            case "--socket": socket = value
            default: Self.refuse("unknown option \(option)")
            }
        }
    }

    private static func refuse(_ message: String) -> Never {
        Log.line("\(message)\n\(usage)")
        exit(64)
    }
}
