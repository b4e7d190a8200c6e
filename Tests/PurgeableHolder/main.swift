// Holds purgeable data that no code uses and sleeps, so that only the kernel can take pieces of it. On SIGUSR1 it accesses all
// pieces, prints the number of pieces in each state, and ends.
//
// purgeable-holder COUNT, each piece of one MiB
import CLinux
import ResourceCaches

var wakeUp = sigset_t()
sigemptyset(&wakeUp)
sigaddset(&wakeUp, SIGUSR1)
sigprocmask(SIG_BLOCK, &wakeUp, nil)

func say(_ text: String) {
    let line = Array((text + "\n").utf8)
    _ = write(STDOUT_FILENO, line, line.count)
}

let pageSize = 4096

/// The content differs from page to page and from piece to piece, and every third page begins with zeroes.
func page(_ number: Int, of piece: Int) -> [UInt8] {
    var page = [UInt8](repeating: UInt8(truncatingIfNeeded: number &* 7 &+ piece) | 1, count: pageSize)
    if number.isMultiple(of: 3) { page.replaceSubrange(..<8, with: repeatElement(0, count: 8)) }
    return page
}

let held = try (0..<(Int(CommandLine.arguments[1]) ?? 1)).map { piece in
    try PurgeableData(count: 256 * pageSize) { bytes in
        bytes.withUnsafeMutableBytes { bytes in
            for number in 0..<256 {
                guard let start = bytes.baseAddress else { return }
                memcpy(start + number * pageSize, page(number, of: piece), pageSize)
            }
        }
    }
}
for data in held { data.endContentAccess() }
say("volatile")

var signal: CInt = 0
sigwait(&wakeUp, &signal)

var intact = 0
var torn = 0
for (piece, data) in held.enumerated() where data.beginContentAccess() {
    let isWhole = data.withBytes { bytes in
        bytes.withUnsafeBytes { bytes in
            (0..<256).allSatisfy { number in
                guard let start = bytes.baseAddress else { return false }
                return memcmp(start + number * pageSize, page(number, of: piece), pageSize) == 0
            }
        }
    }
    if isWhole == true { intact += 1 } else { torn += 1 }
}
say("intact \(intact) torn \(torn) lost \(held.count - intact - torn)")
