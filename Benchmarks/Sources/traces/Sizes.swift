internal import BenchSupport

/// The numbers of items that the caches for a trace hold.
enum Sizes {
    /// The usual sizes for the traces that are usually compared; otherwise 1, 5 and 20 % of the number of different items.
    static func of(_ trace: Trace) -> [Int] {
        usual[trace.name] ?? [1, 5, 20].map { max(1, trace.uniqueCount * $0 / 100) }
    }

    /// Whether a trace is of a service: a web shop, a database, objects of a program, a content network, a machine's
    /// disk.
    ///
    /// The other traces are of single programs in file systems, or are made up to show the weakness of a policy.
    static func isOfService(_ trace: Trace) -> Bool {
        services.contains(trace.name)
    }

    private static let services: Set = ["web07", "orm-busy", "corda-vault", "w106", "adaptsize-req", "OLTP"]

    private static let usual = [
        "multi1": [500, 1_000, 2_000],
        "multi2": [1_000, 2_000, 3_000],
        "multi3": [1_000, 2_000, 3_000],
        "cpp": [35, 100, 400],
        "cs": [200, 500, 1_000],
        "gli": [500, 1_000, 2_000],
        "ps": [200, 500, 1_000],
        "loop": [256, 512, 1_000],
        "2_pools": [100, 450, 2_000],
        "scan": [250, 1_000],
        "zigzag": [250, 1_000],
        "web07": [500, 2_000, 8_000],
        "orm-busy": [500, 2_000, 8_000],
        "corda-vault": [512, 2_048, 16_384],
        "w106": [500, 4_000, 16_000],
        "adaptsize-req": [1_000, 4_000, 16_000],
        "OLTP": [1_000, 2_000, 5_000, 10_000, 15_000],
    ]
}
