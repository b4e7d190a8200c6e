internal import BenchSupport
internal import CBench
internal import ResourceManager
internal import StoredView

/// Compares reading a loaded `view` with reading a stored property of a final class.
///
/// Both are in other modules.
struct ViewAccess {
    private static let batches = 1_000
    private static let reads = 10_000

    func run() {
        let controller = ViewController(host: ControllerHost("bench"))
        controller.loadViewIfNeeded()
        let holder = Holder(View())
        Table.print(
            "Loaded view access, ns a read",
            ["", "stored property", "`controller.view`", "difference"],
            [
                Self.row("its address is taken", holder, controller, Self.lookAtStored, Self.lookAtLoaded),
                Self.row("it is passed to a function", holder, controller, Self.useStored, Self.useLoaded),
            ]
        )
    }

    private static func row(
        _ name: String,
        _ holder: Holder,
        _ controller: ViewController,
        _ timeStored: (Holder) -> UInt64,
        _ timeLoaded: (ViewController) -> UInt64
    ) -> [String] {
        // The smallest time of many batches is that of a batch that nothing interrupted.
        var stored = UInt64.max
        var loaded = UInt64.max
        for _ in 0..<batches {
            stored = min(stored, timeStored(holder))
            loaded = min(loaded, timeLoaded(controller))
        }
        let nanoseconds = [stored, loaded].map { Double($0) / Double(reads) }
        return [name] + (nanoseconds + [nanoseconds[1] - nanoseconds[0]]).map { $0.decimal(2) }
    }

    // Not inlined, so that the compiler knows as little about the objects as in a program that shares them.

    @inline(never)
    private static func lookAtStored(_ holder: Holder) -> UInt64 {
        let start = bench_now()
        for _ in 0..<reads { bench_use(Unmanaged.passUnretained(holder.view).toOpaque()) }
        return bench_now() - start
    }

    @inline(never)
    private static func lookAtLoaded(_ controller: ViewController) -> UInt64 {
        let start = bench_now()
        for _ in 0..<reads { bench_use(Unmanaged.passUnretained(controller.view).toOpaque()) }
        return bench_now() - start
    }

    @inline(never)
    private static func useStored(_ holder: Holder) -> UInt64 {
        let start = bench_now()
        for _ in 0..<reads { use(holder.view) }
        return bench_now() - start
    }

    @inline(never)
    private static func useLoaded(_ controller: ViewController) -> UInt64 {
        let start = bench_now()
        for _ in 0..<reads { use(controller.view) }
        return bench_now() - start
    }
}
