import ControllerWalk
import Glibc

// operations outside|callbacks SEEDS [FROM]: walks SEEDS seeds. The first seed is FROM, or random without it.
let arguments = CommandLine.arguments
guard arguments.count >= 3, ["outside", "callbacks"].contains(arguments[1]), let count = UInt64(arguments[2]) else {
    print("usage: operations outside|callbacks SEEDS [FROM]")
    exit(64)
}
Destructions.check()
let isReentrant = arguments[1] == "callbacks"
let first = arguments.count > 3 ? UInt64(arguments[3]) ?? 1 : .random(in: 0..<1 << 40)
print("seeds \(first) to \(first + count - 1), \(arguments[1])")
let (tally, failures) = Walker.walk(seeds: first..<first + count, isReentrant: isReentrant)
print(tally.summary)
if isReentrant { print(tally.table) }
for failure in failures { print(failure) }
if !failures.isEmpty {
    print("\(failures.count) of \(count) seeds failed")
    exit(1)
}
