import Foundation
import TestSupport
import Testing

struct DocumentationPictureTests {
    @Test("the pictures show the library's present behaviour")
    func pictures() throws {
        let folder = try TemporaryDirectory()
        let program = try ChildProcess("transcripts", [folder.path])
        try #require(program.wait() == 0)
        let drawn = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(drawn == ["load-cycle.svg", "push.svg", "unload-cycle.svg"])
        for name in drawn {
            let now = try String(contentsOfFile: "\(folder.path)/\(name)", encoding: .utf8)
            let committed = try Documentation.text(Documentation.catalogue(of: "ResourceManager") + "/\(name)")
            #expect(committed == now, "\(name) is out of date; make docs draws it again")
        }
    }
}
