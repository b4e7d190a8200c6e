// Writes the pictures of the documentation into a folder: `transcripts FOLDER`. They show the library's real behaviour.
import Foundation

@main
struct Transcripts {
    static func main() throws {
        guard CommandLine.arguments.count == 2 else {
            FileHandle.standardError.write(Data("usage: transcripts FOLDER\n".utf8))
            exit(64)
        }
        let folder = URL(filePath: CommandLine.arguments[1], directoryHint: .isDirectory)
        for (name, play) in Scenarios.all {
            let picture = folder.appending(path: "\(name).svg")
            try Chart.svg(of: play()).write(to: picture, atomically: true, encoding: .utf8)
            print(picture.path(percentEncoded: false))
        }
    }
}
