// swift-tools-version: 6.2

import PackageDescription

/// The same as in the package that is tested.
let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let caches = Target.Dependency.product(name: "ResourceCaches", package: "memwarnd")
let manager = Target.Dependency.product(name: "ResourceManager", package: "memwarnd")

// A package of its own, built for release: what a service runs are the parts of the caches that are compiled into it.
let package = Package(
    name: "cache-hammer",
    dependencies: [.package(name: "memwarnd", path: "../..")],
    targets: [
        // Threads, single steps and the hook of the locks, which Swift cannot import as they are.
        .target(name: "CHammer", cSettings: [.treatAllWarnings(as: .error)]),
        // Values that know whether they are alive, and threads that use them.
        .target(name: "Canaries", dependencies: ["CHammer"], swiftSettings: settings),
        // Many threads at random.
        .executableTarget(
            name: "hammer",
            dependencies: ["Canaries", caches, manager],
            swiftSettings: settings
        ),
        // One reader, an instruction at a time, beside a thread that replaces what it reads.
        .executableTarget(name: "pitfall", dependencies: ["CHammer", "Canaries", caches], swiftSettings: settings),
        // Few threads in all orders.
        .executableTarget(name: "walk", dependencies: ["CHammer", "Canaries", caches], swiftSettings: settings),
        // Random operations on controllers, as in the tests, and faster. A link, because a target is in its package's folder.
        .target(name: "ControllerWalk", dependencies: [manager], swiftSettings: settings),
        .executableTarget(name: "operations", dependencies: ["ControllerWalk"], swiftSettings: settings),
    ],
    cLanguageStandard: .gnu11
)
