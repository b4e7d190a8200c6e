// Archives and states in files.
import ResourceArchives
import ResourceManager

let archives = JSONArchives(folders: ["/etc/search/archives", "/usr/share/search/archives"])

func keepState() throws {
    let file = RestorationFile(path: "/var/lib/search/state.json")
    switch file.read() {
    case .none: break
    case .state(let state): print("continues with \(state.values.count) values")
    case .damaged(let error, let path): print("\(error); starts afresh, the file is kept as \(path ?? file.path)")
    }
    try file.write(Properties(["query": .string("memory"), "hit": .integer(12)]))
}

func isUsable(_ contents: RestorationFile.Contents) -> Bool {
    if case .damaged = contents { false } else { true }
}

/// Reports a state that cannot be written, which has a number that JSON does not have.
func bytes(of state: Properties) -> [UInt8]? {
    do {
        return try state.json()
    } catch {
        let error: PropertyEncodingError = error
        print("\(error.path) cannot be saved: \(error.message)")
        return nil
    }
}
