import Glibc

/// Lines for whoever reads along: each is written at once, also to a pipe.
enum Log {
    static func line(_ text: String) {
        print(text)
        fflush(nil)
    }
}
