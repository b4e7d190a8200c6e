// Holds purgeable data that nobody uses and sleeps, so that whatever is taken, the kernel has taken; at SIGUSR1 it asks
// for all of them, says what became of how many, and ends.
//
// purgeable-holder COUNT, of a MiB each
import Glibc
import ResourceManager

var wakeUp = sigset_t()
sigemptyset(&wakeUp)
sigaddset(&wakeUp, SIGUSR1)
sigprocmask(SIG_BLOCK, &wakeUp, nil)

func say(_ text: String) {
    let line = Array((text + "\n").utf8)
    _ = write(STDOUT_FILENO, line, line.count)
}

/// Differs from byte to byte and from piece to piece, and every third page begins with zeroes.
func byte(at offset: Int, of piece: Int) -> UInt8 {
    offset & 4095 < 8 && (offset >> 12) % 3 == 0 ? 0 : UInt8(truncatingIfNeeded: offset &* 7 &+ piece) | 1
}

let held = try (0..<(Int(CommandLine.arguments[1]) ?? 1)).map { piece in
    try PurgeableData(count: 1 << 20) { bytes in
        bytes.withUnsafeMutableBytes { bytes in
            for offset in bytes.indices { bytes[offset] = byte(at: offset, of: piece) }
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
        bytes.withUnsafeBytes { bytes in bytes.indices.allSatisfy { bytes[$0] == byte(at: $0, of: piece) } }
    }
    if isWhole == true { intact += 1 } else { torn += 1 }
}
say("intact \(intact) torn \(torn) lost \(held.count - intact - torn)")
