import CLinux

/// Runs something where a thread of a service may run it: on a stack of 512 KiB.
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
                // It was given below, and this is the only reader.
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
