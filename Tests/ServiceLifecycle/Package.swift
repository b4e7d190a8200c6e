// swift-tools-version: 6.2

import PackageDescription

/// The same settings as in the package under test.
let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// A separate package: switching a trait compiles all targets of a package again, and these tests need few of them.
let package = Package(
    name: "service-lifecycle-tests",
    dependencies: [
        .package(name: "memwarnd", path: "../..", traits: ["ServiceLifecycle"]),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    ],
    targets: [
        .testTarget(
            name: "ResourceManagerServiceLifecycleTests",
            dependencies: [
                .product(name: "ResourceManager", package: "memwarnd"),
                .product(name: "ResourceManagerServiceLifecycle", package: "memwarnd"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
                .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
            ],
            path: "ResourceManagerServiceLifecycleTests",
            swiftSettings: settings
        )
    ]
)
