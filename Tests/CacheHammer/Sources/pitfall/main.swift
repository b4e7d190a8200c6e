import CHammer
import Canaries

// pitfall [SECONDS]: checks for that time (3 s by default) that a reader retains the value that it copies before it
// frees the lock.
//
// Swift's optimiser may move the retain of a value that was copied under a lock below the store that frees the lock;
// LockWord.h prevents that. Without LockWord.h, another thread could remove the value and end it in the few
// instructions between. A reader here therefore makes a long pause after each of its instructions, while another thread
// replaces the value as fast as it can. If that gap exists, a replacement falls into it. Ends with status 1 if that
// has happened.

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
