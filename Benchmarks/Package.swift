// swift-tools-version: 6.2

import PackageDescription

/// The same as in the package that is measured.
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
        // The baseline: what a C program does that offers the same and nothing else.
        .executableTarget(name: "plain", dependencies: ["CBench"]),
        // The receivers: many hosts in one process, in C so that they cost the same behind either server.
        .executableTarget(name: "crowd", dependencies: ["CBench"]),
        // The receiver as services write it: a controller host.
        .executableTarget(
            name: "host",
            dependencies: ["CBench", .product(name: "ResourceManager", package: "memwarnd")],
            swiftSettings: settings
        ),
        // What the programs in Swift share: tables, figures, traces.
        .target(name: "BenchSupport", dependencies: ["CBench"], swiftSettings: settings),
        // Hit ratios; on its own, since it needs no daemon.
        .executableTarget(
            name: "traces",
            dependencies: ["BenchSupport", .product(name: "ResourceManager", package: "memwarnd")],
            swiftSettings: settings
        ),
        // How long calls take beside long changes of a cache.
        .executableTarget(
            name: "waits",
            dependencies: ["BenchSupport", "CBench", .product(name: "ResourceManager", package: "memwarnd")],
            swiftSettings: settings
        ),
        // The service whose cache is warned, in a process of its own because the heap is what is looked at.
        .executableTarget(
            name: "cachehost",
            dependencies: ["CBench", .product(name: "ResourceManager", package: "memwarnd")],
            swiftSettings: settings
        ),
        // In a module of its own, as `ViewController` is.
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
