import Foundation
import Testing

struct DocumentationTests {
    private let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test("the service in the README is the one that is compiled")
    func readmeExample() throws {
        let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let snippet = try String(contentsOf: root.appending(path: "Snippets/search-service.swift"), encoding: .utf8)
        // Its first line says what it is, for those who find it alone.
        let body = snippet.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)[1]
        #expect(readme.contains("```swift\n\(body)```"))
    }
}
