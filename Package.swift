// swift-tools-version: 6.2

import PackageDescription

// Only in this project's own builds, where the Makefile sets the variable: SwiftPM suppresses warnings in what a package
// depends on, and the compiler refuses to do both.
let strict: [SwiftSetting] = Context.environment["MEMWARND_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)]

/// One place for how every target is compiled: Swift 6 language mode (the tools version), warnings as errors where the
/// project is built, `any` written out, imports that say whether they are part of the API.
let settings: [SwiftSetting] =
    strict + [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]

extension Target.Dependency {
    /// What only packages need that ask for the trait.
    static func friend(_ product: String, of package: String) -> Self {
        .product(name: product, package: package, condition: .when(traits: ["ServiceLifecycle"]))
    }
}

let package = Package(
    name: "memwarnd",
    products: [
        // Together one program to its users: memwarnd VERB executes memwarnctl for every verb but run.
        .executable(name: "memwarnd", targets: ["memwarnd"]),
        .executable(name: "memwarnctl", targets: ["memwarnctl"]),
        // A build compiles what depends on a product anew when one of the modules listed here has changed, and not when one
        // has that these re-export; yet all of them are inlined there.
        .library(name: "ResourceManager", targets: ["ResourceManager", "ResourceCaches", "MemoryPressure"]),
        .library(name: "ResourceCaches", targets: ["ResourceCaches", "MemoryPressure"]),
        .library(name: "ObjectCache", targets: ["ObjectCache", "ResourceCaches", "MemoryPressure"]),
        .library(name: "ResourceArchives", targets: ["ResourceArchives", "ResourceManager", "ResourceCaches"]),
        .library(name: "ResourceManagerServiceLifecycle", targets: ["ResourceManagerServiceLifecycle"]),
    ],
    traits: [
        .trait(
            name: "ServiceLifecycle",
            description: "ResourceManagerServiceLifecycle: hosts as services, with swift-log and swift-metrics."
        )
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        // Only with the trait: packages that use the library alone do not get them.
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CSystemd",
            pkgConfig: "libsystemd",
            providers: [.apt(["libsystemd-dev"])]
        ),
        // The libc headers in the one form that Swift targets import, and what of them Swift cannot import as it is.
        .target(name: "CLinux", cSettings: strict.isEmpty ? [] : [.treatAllWarnings(as: .error)]),
        .target(name: "Systemd", dependencies: ["CSystemd", "CLinux"], swiftSettings: settings),
        .target(name: "MemoryPressure", dependencies: ["CLinux"], swiftSettings: settings),
        .target(name: "MemwarnProtocol", dependencies: ["CLinux", "MemoryPressure"], swiftSettings: settings),
        // What the daemon does about pressure, as values: no clock, no descriptor, no closure.
        .target(
            name: "WarningPolicy",
            dependencies: ["MemoryPressure", "MemwarnProtocol"],
            swiftSettings: settings
        ),
        // The configuration's keys, what reads its files, and what is said about mistakes in them.
        .target(
            name: "MemwarnSettings",
            dependencies: ["CLinux", "MemoryPressure", "MemwarnProtocol", "WarningPolicy"],
            swiftSettings: settings
        ),
        // What both programs share as processes: exit codes, failures, limits, the version, and where the other is.
        .target(name: "MemwarnProgram", dependencies: ["CLinux", "MemoryPressure"], swiftSettings: settings),
        .target(
            name: "ResourceCaches",
            dependencies: ["CLinux", "MemoryPressure"],
            swiftSettings: settings
        ),
        .target(
            name: "ResourceManager",
            dependencies: ["CLinux", "ResourceCaches", "MemoryPressure", "MemwarnProtocol"],
            swiftSettings: settings
        ),
        .target(name: "ObjectCache", dependencies: ["ResourceCaches"], swiftSettings: settings),
        .target(
            name: "ResourceArchives",
            dependencies: ["CLinux", "ResourceManager", "MemoryPressure", "MemwarnProtocol"],
            swiftSettings: settings
        ),
        // Empty without the trait. Its tests are a package of their own, in Tests/ServiceLifecycle.
        .target(
            name: "ResourceManagerServiceLifecycle",
            dependencies: [
                "ResourceManager",
                .friend("ServiceLifecycle", of: "swift-service-lifecycle"),
                .friend("Logging", of: "swift-log"),
                .friend("CoreMetrics", of: "swift-metrics"),
            ],
            swiftSettings: settings
        ),
        // The daemon.
        .executableTarget(
            name: "memwarnd",
            dependencies: [
                "CLinux", "Systemd", "MemoryPressure", "MemwarnProtocol", "WarningPolicy", "MemwarnSettings",
                "MemwarnProgram",
            ],
            swiftSettings: settings
        ),
        // The commands.
        .executableTarget(
            name: "memwarnctl",
            dependencies: [
                "CLinux", "Systemd", "MemoryPressure", "MemwarnProtocol", "WarningPolicy", "MemwarnSettings",
                "MemwarnProgram",
                "ResourceArchives",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings
        ),

        // The example host. A target of this package and not of one of its own, because the demo and the tests on the
        // real kernel drive it.
        .executableTarget(
            name: "gallery",
            dependencies: ["ResourceCaches", "ResourceManager"],
            path: "Examples/Gallery",
            swiftSettings: settings
        ),
        // The example of a service that a storyboard describes; tests run it in their process and as a program.
        // Without the hyphen: a snippet's program is called search-service.
        .executableTarget(
            name: "searchservice",
            dependencies: ["ResourceCaches", "ResourceManager", "ResourceArchives"],
            path: "Examples/SearchService",
            exclude: ["README.md", "Main.storyboard.json", "Index.nib.json"],
            swiftSettings: settings
        ),
        // Draws the pictures of the documentation from what the library does.
        .executableTarget(
            name: "transcripts",
            dependencies: ["ResourceCaches", "ResourceManager"],
            path: "Examples/Transcripts",
            swiftSettings: settings
        ),

        // What makes real memory stalls for the demo and the tests, in C so that it hardly needs memory itself.
        .executableTarget(name: "thrash", path: "Tests/Thrash"),
        // What a test kills while it saves its state.
        .executableTarget(
            name: "state-writer",
            dependencies: ["CLinux", "ResourceArchives", "ResourceManager"],
            path: "Tests/StateWriter",
            swiftSettings: settings
        ),
        // What the kernel takes memory from while it sleeps.
        .executableTarget(
            name: "purgeable-holder",
            dependencies: ["CLinux", "ResourceCaches"],
            path: "Tests/PurgeableHolder",
            swiftSettings: settings
        ),
        // What is run with one allocator after the other; by the benchmarks and in the guest too.
        .executableTarget(
            name: "allocator-probe",
            dependencies: ["CLinux", "ResourceCaches", "ResourceManager"],
            path: "Tests/AllocatorProbe",
            exclude: ["deps.sh"],
            swiftSettings: settings
        ),
        // The daemon's policy, hosts and a modelled kernel under virtual time; and the program that runs seeds of it.
        .target(
            name: "SimulatorKit",
            dependencies: ["CLinux", "MemoryPressure", "MemwarnProtocol", "WarningPolicy"],
            path: "Tests/SimulatorKit",
            // Its objects are changed at every step, and checks of exclusive access take a tenth of its time; the tests,
            // which are built for debugging, have them.
            swiftSettings: settings
                + (strict.isEmpty
                    ? [] : [.unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release))])
        ),
        .executableTarget(
            name: "Simulator",
            dependencies: ["CLinux", "SimulatorKit"],
            path: "Tests/Simulator",
            exclude: ["run", "teeth", "Mutants"],
            swiftSettings: settings
        ),
        // Random operations on controllers, in callbacks too, against a model of the rules.
        .target(
            name: "ControllerWalk",
            dependencies: ["ResourceManager"],
            path: "Tests/ControllerWalk",
            swiftSettings: settings
        ),
        .target(
            name: "TestSupport",
            dependencies: ["CLinux", "MemoryPressure", "ResourceCaches"],
            path: "Tests/TestSupport",
            swiftSettings: settings
        ),
        .testTarget(name: "SystemdTests", dependencies: ["CLinux", "Systemd", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "MemoryPressureTests",
            dependencies: ["CLinux", "MemoryPressure", "TestSupport", "thrash"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "MemwarnProtocolTests",
            dependencies: ["CLinux", "MemoryPressure", "MemwarnProtocol", "TestSupport"],
            exclude: ["Session/session.cases"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "WarningPolicyTests",
            dependencies: ["MemoryPressure", "MemwarnProtocol", "WarningPolicy", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "MemwarnSettingsTests",
            dependencies: [
                "CLinux", "MemoryPressure", "MemwarnProtocol", "MemwarnSettings", "WarningPolicy", "TestSupport",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "SimulatorTests",
            dependencies: ["SimulatorKit", "WarningPolicy"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ResourceCachesTests",
            dependencies: [
                "CLinux", "ResourceCaches", "ObjectCache", "purgeable-holder", "thrash", "TestSupport",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ResourceManagerTests",
            dependencies: [
                "CLinux", "ResourceCaches", "ResourceManager", "ObjectCache", "MemoryPressure", "MemwarnProtocol",
                "ControllerWalk", "allocator-probe", "transcripts", "TestSupport",
            ],
            exclude: ["Conformance/controllers.cases.jsonl", "Conformance/further.cases.jsonl"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ObjectCacheTests",
            dependencies: ["ObjectCache", "ResourceCaches", "ResourceManager", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ResourceArchivesTests",
            dependencies: [
                "CLinux", "ResourceArchives", "ResourceManager", "MemoryPressure", "searchservice", "state-writer",
                "TestSupport",
            ],
            exclude: ["States"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "MemwarndTests",
            dependencies: [
                "CLinux", "memwarnd", "memwarnctl", "Systemd", "MemoryPressure", "MemwarnProtocol", "WarningPolicy",
                "MemwarnSettings", "MemwarnProgram", "gallery", "searchservice", "thrash", "TestSupport",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "MemwarnctlTests",
            dependencies: [
                "CLinux", "memwarnctl", "memwarnd", "Systemd", "MemoryPressure", "MemwarnProtocol", "WarningPolicy",
                "MemwarnSettings", "MemwarnProgram", "TestSupport",
            ],
            swiftSettings: settings
        ),
    ],
    cLanguageStandard: .gnu11
)

// For the thread sanitizer, which compiles everything anew and looks at the library and the wire only: without what the
// daemon alone needs, and without the other tests, it takes less than half of the time.
if Context.environment["WITHOUT_DAEMON"] != nil {
    let daemon: Set = ["CSystemd", "Systemd", "memwarnd", "memwarnctl", "gallery"]
    let tests: Set = ["MemwarnProtocolTests", "ResourceCachesTests", "ResourceManagerTests"]
    package.products.removeAll { daemon.contains($0.name) }
    package.targets.removeAll { daemon.contains($0.name) || $0.type == .test && !tests.contains($0.name) }
}

// The daemon as it is shipped, an Embedded Swift program: packaging/build-daemon.sh builds it, and nothing else this way.
if Context.environment["MEMWARND_EMBEDDED"] != nil {
    let flags = ["-function-sections", "-enable-single-module-llvm-emission", "-trap-function", "clinux_trap_of_swift"]
    for target in package.targets where target.type != .system && target.name != "CLinux" {
        // Without single-module emission SwiftPM's -num-threads leaves -function-sections without effect, and the linker
        // with code that nothing calls.
        target.swiftSettings?.append(.enableExperimentalFeature("Embedded"))
        target.swiftSettings?.append(.unsafeFlags(["-wmo", "-Osize"] + flags.flatMap { ["-Xfrontend", $0] }))
        if target.name == "memwarnd" { target.linkerSettings = [.linkedLibrary("swiftUnicodeDataTables")] }
    }
    for target in package.targets where target.name == "CLinux" {
        target.cSettings?.append(.define("MEMWARND_EMBEDDED"))
        target.cSettings?.append(.unsafeFlags(["-fno-builtin", "-ffunction-sections"]))
    }
}
