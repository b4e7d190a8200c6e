import ResourceManager

/// A small service: a cache, a host beside other work, and a warning.
@main struct Consumer {
    @MainActor static func main() async {
        let host = ControllerHost("consumer")
        var options = ResourceCache<String, [UInt8]>.Options()
        options.weigher = { path, page in path.utf8.count + page.count }
        let pages = ResourceCache<String, [UInt8]>("pages", limit: 1 << 20, options: options)
        pages["index"] = [UInt8](repeating: 1, count: 1000)

        let service = host.service()
        await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await service.run() }
            let release = host.simulateMemoryWarning(.critical)
            print("gave back \(release.released) bytes")
            guard release.released > 0, pages.count == 0 else { fatalError("the warning released nothing") }
            group.cancelAll()
        }
    }
}
