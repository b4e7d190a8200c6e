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
