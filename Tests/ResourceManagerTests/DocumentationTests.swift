import Foundation
import ResourceManager
import Synchronization
import Testing

struct DocumentationTests {
    static let pages: [String] =
        ["README.md"]
        + ["docs", "Examples", "Sources"].flatMap { Documentation.files(below: $0, ending: ".md") }
    /// The programs that are compiled.
    static let programs = Result {
        try ["Snippets", "Examples", "Tests"].flatMap { Documentation.files(below: $0, ending: ".swift") }
            .map(Documentation.text)
    }
    static let sources: [String] = Documentation.modules.flatMap {
        Documentation.files(below: "Sources/\($0)", ending: ".swift")
    }

    @Test("each piece of Swift on a page is compiled, as part of a snippet, an example or a test", arguments: pages)
    func codeOnPages(page: String) throws {
        try expectCompiled(Documentation.swiftBlocks(in: Documentation.text(page)))
    }

    @Test("each piece of Swift in the reference is compiled, as part of a snippet", arguments: sources)
    func codeInReference(source: String) throws {
        try expectCompiled(Documentation.swiftBlocks(in: Documentation.comments(of: Documentation.text(source))))
    }

    @Test("there is code to check on the pages and in the reference")
    func thereIsCode() throws {
        let onPages = try Self.pages.flatMap { try Documentation.swiftBlocks(in: Documentation.text($0)) }
        let inReference = try Self.sources.flatMap {
            try Documentation.swiftBlocks(in: Documentation.comments(of: Documentation.text($0)))
        }
        #expect(onPages.count > 20)
        #expect(inReference.count > 5)
    }

    @Test("each public type is listed on the first page of its module", arguments: Documentation.modules)
    func curation(module: String) throws {
        let page = try Documentation.text(Documentation.catalogue(of: module) + "/\(module).md")
        let types = try Self.publicTypes(of: module)
        #expect(!types.isEmpty)
        #expect(types.filter { !page.contains("- ``\($0)``") } == [])
    }

    @Test("each public type appears in an example", arguments: Documentation.modules)
    func publicTypesInExamples(module: String) throws {
        let examples =
            try ["Snippets", "Examples"].flatMap { Documentation.files(below: $0, ending: ".swift") }
            .map(Documentation.text)
            + Self.pages.flatMap { try Documentation.swiftBlocks(in: Documentation.text($0)) }
        let words = Set(
            examples.flatMap { $0.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init) }
        )
        let types = try Self.publicTypes(of: module, nested: true)
        #expect(!types.isEmpty)
        #expect(types.filter { !words.contains($0) } == [])
    }

    /// The names of a module's public types.
    private static func publicTypes(of module: String, nested: Bool = false) throws -> [String] {
        let pattern =
            /^(?<indentation> *)(?:public|open) (?:final |indirect )?(?:class|struct|enum|protocol|actor) (?<name>\w+)/
        return try Documentation.files(below: "Sources/\(module)", ending: ".swift").flatMap { source in
            try Documentation.text(source).split(separator: "\n")
                .compactMap { try? pattern.prefixMatch(in: $0) }
                .filter { nested || $0.output.indentation.isEmpty }
                .map { String($0.output.name) }
        }
    }

    @Test("the figures on the page about budgets are those of the division", arguments: [1024, 8192, 64])
    func budgets(mebibytes: Int) throws {
        let page = try Documentation.text(Documentation.catalogue(of: "ResourceManager") + "/Budgets.md")
        let reserve = 16
        let parts = Budget(bytes: (mebibytes - reserve) << 20).divided(among: [
            BudgetShare(bytes: .init(minimum: 64 << 20, weight: 3)), BudgetShare(bytes: .init(maximum: 512 << 20)),
        ])
        func amount(_ mebibytes: Int) -> String {
            mebibytes % 1024 == 0 && mebibytes > 0 ? "\(mebibytes / 1024) GiB" : "\(mebibytes) MiB"
        }
        let figures = [mebibytes] + parts.map { $0.bytes >> 20 } + [reserve]
        #expect(page.contains("| " + figures.map(amount).joined(separator: " | ") + " |"))
    }

    @Test("caches divide the bytes of a warning as in the example on their page")
    func partsOfTheBytes() throws {
        let page = try Documentation.text(Documentation.catalogue(of: "ResourceCaches") + "/Caches.md")
        #expect(page.contains("| 30 × 60 ÷ 100 = 18 MiB |\n"))
        #expect(page.contains("| 12 × 30 ÷ 40 = 9 MiB |\n"))
        #expect(page.contains("| 3 × 10 ÷ 10 = 3 MiB |\n"))
        ResourceTesting.scope { scope in
            let pages = ResourceCache<Int, Int>("pages")
            for number in 0..<60 { pages.insert(number, for: number, cost: 1 << 20) }
            let thumbnails = ResourceCache<Int, Int>("thumbnails")
            for number in 0..<30 { thumbnails.insert(number, for: number, cost: 1 << 20) }
            let pool = Pool(bytes: 10 << 20)
            scope.simulateMemoryWarning(bytesWanted: 30 << 20)
            #expect([pages.totalCost, thumbnails.totalCost, pool.reclaimableBytes].map { $0 >> 20 } == [42, 21, 7])
        }
    }

    private final class Pool: Reclaimable {
        private let bytes: Mutex<Int>
        var reclaimableBytes: Int { bytes.withLock { $0 } }

        init(bytes: Int) {
            self.bytes = Mutex(bytes)
            registerForMemoryWarnings()
        }

        func reclaim(_ wanted: Int) -> Int {
            bytes.withLock { $0 -= wanted }
            return wanted
        }
    }

    private func expectCompiled(_ blocks: [String]) throws {
        let programs = try Self.programs.get()
        for block in blocks {
            let isThere = programs.contains { Documentation.contains($0, block) }
            #expect(isThere, "no file in Snippets, Examples or Tests contains:\n\(block)")
        }
    }
}
