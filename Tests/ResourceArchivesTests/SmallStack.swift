import CLinux

/// Runs code on a stack of 512 KiB, as on a thread of a service.
enum SmallStack {
    static func run(_ body: @escaping @Sendable () -> Void) {
        final class Box {
            let body: @Sendable () -> Void
            init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        }
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setstacksize(&attributes, 512 << 10)
        var thread = pthread_t()
        let box = Unmanaged.passRetained(Box(body))
        let made = pthread_create(
            &thread,
            &attributes,
            { argument in
                // The argument was passed below, and is read only here.
                argument.map { Unmanaged<Box>.fromOpaque($0).takeRetainedValue().body() }
                return nil
            },
            box.toOpaque()
        )
        precondition(made == 0, "no thread")
        pthread_join(thread, nil)
        pthread_attr_destroy(&attributes)
    }
}
