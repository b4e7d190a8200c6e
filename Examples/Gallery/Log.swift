import Glibc

/// The program's log: each line is written at once, also to a pipe.
enum Log {
    static func line(_ text: String) {
        print(text)
        fflush(nil)
    }
}
