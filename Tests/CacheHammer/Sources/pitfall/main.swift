import CHammer
import Canaries

// pitfall [SECONDS]: sees that a reader retains what it copies before it frees the lock, for so long (3 s).
//
// Swift's optimiser may move the retain of a value that was copied under a lock below the store that frees it; LockWord.h
// keeps it from that. If it did not, there would be a moment of some instructions in which another thread could remove
// the value and end it. So a reader here takes a long pause after each of its instructions, while another thread replaces
// the value as fast as it can: whatever can come between will. Ends with status 1 if it did.

let arguments = CommandLine.arguments.dropFirst()
guard arguments.count <= 1, let seconds = arguments.first.map({ Double($0) }) ?? 3, seconds > 0 else {
    fail("usage: pitfall [SECONDS]")
}
if single_step_is_possible {
    test("a value behind a lock", Locked(), seconds / 4)
    test("a hit", Cached(), seconds / 4)
    test("a look", Looked(), seconds / 4)
    test("a hit of 512 bytes", CachedBlock(), seconds / 4)
    print("no violations")
} else {
    print("nothing was tested: on this processor a thread cannot run by single instructions")
}
