import CLinux

/// The calling thread's mask for one signal, changed during a test: raise(3) reaches no other thread.
struct SignalMask {
    private let number: CInt
    private let previous: sigset_t

    init(blocking number: CInt) {
        self.init(number, SIG_BLOCK)
    }

    init(unblocking number: CInt) {
        self.init(number, SIG_UNBLOCK)
    }

    private init(_ number: CInt, _ how: CInt) {
        var previous = sigset_t()
        var changed = Self.only(number)
        pthread_sigmask(how, &changed, &previous)
        self.number = number
        self.previous = previous
    }

    /// Consumes the signal if it is still pending, and restores the earlier mask.
    func restore() {
        var signal = Self.only(number)
        var atOnce = timespec()
        while sigtimedwait(&signal, nil, &atOnce) == number {}
        var previous = previous
        pthread_sigmask(SIG_SETMASK, &previous, nil)
    }

    static func blocks(_ number: CInt) -> Bool {
        var mask = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &mask)
        return sigismember(&mask, number) == 1
    }

    private static func only(_ number: CInt) -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, number)
        return set
    }
}
