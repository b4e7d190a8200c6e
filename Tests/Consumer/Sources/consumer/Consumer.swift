import ResourceManager

/// A service in short: a cache, a host beside other work, and a warning.
@main struct Consumer {
    @MainActor static func main() async throws {
        let host = ControllerHost("consumer")
        var options = ResourceCache<String, [UInt8]>.Options()
        options.weigher = { path, page in path.utf8.count + page.count }
        let pages = ResourceCache<String, [UInt8]>("pages", limit: 1 << 20, options: options)
        pages["index"] = [UInt8](repeating: 1, count: 1000)
        let warning = host.simulateMemoryWarning(.critical)
        print("gave back \(warning.released) bytes")
        guard warning.released > 0, pages.count == 0 else { fatalError("the warning released nothing") }
    }
}
