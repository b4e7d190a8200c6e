// swift-tools-version: 6.2

import PackageDescription

/// The same settings as in the package under test.
let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let caches = Target.Dependency.product(name: "ResourceCaches", package: "memwarnd")
let manager = Target.Dependency.product(name: "ResourceManager", package: "memwarnd")

// A separate package, built for release, since services run the caches' code as it is compiled into them.
let package = Package(
    name: "cache-hammer",
    dependencies: [.package(name: "memwarnd", path: "../..")],
    targets: [
        // Threads, single steps and the hook of the locks, which Swift cannot import directly.
        .target(name: "CHammer", cSettings: [.treatAllWarnings(as: .error)]),
        // Values that know whether they are alive, and threads that use them.
        .target(name: "Canaries", dependencies: ["CHammer"], swiftSettings: settings),
        // Random calls from many threads.
        .executableTarget(
            name: "hammer",
            dependencies: ["Canaries", caches, manager],
            swiftSettings: settings
        ),
        // One reader that pauses after each instruction, beside a thread that replaces the value that it reads.
        .executableTarget(name: "pitfall", dependencies: ["CHammer", "Canaries", caches], swiftSettings: settings),
        // A few threads in all orders of their steps.
        .executableTarget(name: "walk", dependencies: ["CHammer", "Canaries", caches], swiftSettings: settings),
        // Random operations on controllers, as in the tests, but faster. It is a link, since a target has to be inside its package.
        .target(name: "ControllerWalk", dependencies: [manager], swiftSettings: settings),
        .executableTarget(name: "operations", dependencies: ["ControllerWalk", manager], swiftSettings: settings),
    ],
    cLanguageStandard: .gnu11
)
