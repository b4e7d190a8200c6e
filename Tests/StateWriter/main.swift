// Saves one state after the other until it is killed, and prints each when it is on the disk.
//
// state-writer FILE FIRST
import CLinux
import ResourceArchives
import ResourceManager

let file = RestorationFile(path: CommandLine.arguments[1])
var generation = Int(CommandLine.arguments[2]) ?? 0
while true {
    // Larger than a page, so that a partial write would be possible; `zcheck` is at the end.
    let ballast = (0..<2_000).map { PropertyValue.integer(generation + $0) }
    try file.write(
        Properties(["generation": .integer(generation), "ballast": .array(ballast), "zcheck": .integer(generation)])
    )
    let line = Array("saved \(generation)\n".utf8)
    guard write(STDOUT_FILENO, line, line.count) == line.count else { break }
    generation += 1
}
