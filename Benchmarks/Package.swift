// swift-tools-version: 6.2

import PackageDescription

/// The same settings as in the package that is measured.
let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "benchmarks",
    dependencies: [
        .package(name: "memwarnd", path: "..")
    ],
    targets: [
        .target(name: "CBench"),
        // The baseline: a C program that offers the same service and nothing else.
        .executableTarget(name: "plain", dependencies: ["CBench"]),
        // The receivers: many hosts in one process. They are in C, so that they cost the same behind either server.
        .executableTarget(name: "crowd", dependencies: ["CBench"]),
        // A receiver in the form in which services write it: a controller host.
        .executableTarget(
            name: "host",
            dependencies: ["CBench", .product(name: "ResourceManager", package: "memwarnd")],
            swiftSettings: settings
        ),
        // Code that the Swift programs share: tables, figures, traces.
        .target(name: "BenchSupport", dependencies: ["CBench"], swiftSettings: settings),
        // Hit ratios. A separate program, since it needs no daemon.
        .executableTarget(
            name: "traces",
            dependencies: ["BenchSupport", .product(name: "ResourceManager", package: "memwarnd")],
            swiftSettings: settings
        ),
        // The duration of calls beside long changes of a cache.
        .executableTarget(
            name: "waits",
            dependencies: ["BenchSupport", "CBench", .product(name: "ResourceManager", package: "memwarnd")],
            swiftSettings: settings
        ),
        // The service whose cache is warned. A separate process, because the benchmark measures its heap.
        .executableTarget(
            name: "cachehost",
            dependencies: ["CBench", .product(name: "ResourceManager", package: "memwarnd")],
            swiftSettings: settings
        ),
        // In a separate module, as `ViewController` is.
        .target(
            name: "StoredView",
            dependencies: [.product(name: "ResourceManager", package: "memwarnd")],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "bench",
            dependencies: [
                "BenchSupport", "CBench", "StoredView",
                .product(name: "ResourceManager", package: "memwarnd"),
                .product(name: "ObjectCache", package: "memwarnd"),
            ],
            swiftSettings: settings
        ),
    ]
)
