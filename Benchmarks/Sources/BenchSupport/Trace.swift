internal import Foundation

/// The requests of a program to a cache, in order.
///
/// The file `NAME.u32le`, which may be compressed as `NAME.u32le.gz`, has four bytes for each request: the number of
/// the requested item, least significant byte first. A file `NAME.size.u32le` beside it may have the item's size in
/// bytes for each request.
package struct Trace: Sendable {
    /// The file's name without its extension.
    package let name: String
    /// The item of each request.
    ///
    /// Items are numbered from 0 in the order of their first request.
    package let requests: [UInt32]
    /// The size of each request's item in bytes; `nil` if sizes are unknown.
    package let sizes: [Int]?
    /// The number of different items.
    package let uniqueCount: Int

    /// Reads the trace with that name in a folder.
    package init(_ name: String, in folder: String) throws {
        self.name = name
        let raw = try Self.numbers(folder + "/" + name + Self.ending)
        let sizesPath = folder + "/" + name + Self.sizesEnding
        let hasSizes = [sizesPath, sizesPath + ".gz"].contains { FileManager.default.fileExists(atPath: $0) }
        sizes = hasSizes ? try Self.numbers(sizesPath).map { Int($0) } : nil
        if let sizes, sizes.count != raw.count {
            throw Failure(sentence: "\(sizesPath) has \(sizes.count) sizes for \(raw.count) requests")
        }
        var numbers: [UInt32: UInt32] = [:]
        requests = raw.map { id in
            if let number = numbers[id] { return number }
            let number = UInt32(numbers.count)
            numbers[id] = number
            return number
        }
        uniqueCount = numbers.count
    }

    /// The names of the traces in a folder, in alphabetical order.
    ///
    /// - Throws: ``Failure`` if the folder cannot be read.
    package static func names(in folder: String) throws -> [String] {
        guard let files = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            throw Failure("read the traces in", folder)
        }
        let names = files.compactMap { file -> String? in
            let plain = file.hasSuffix(".gz") ? String(file.dropLast(3)) : file
            guard plain.hasSuffix(ending), !plain.hasSuffix(sizesEnding) else { return nil }
            return String(plain.dropLast(ending.count))
        }
        return Set(names).sorted()
    }

    private static let ending = ".u32le"
    private static let sizesEnding = ".size.u32le"

    /// The numbers in a file, or in its compressed form.
    private static func numbers(_ path: String) throws -> [UInt32] {
        let isPlain = FileManager.default.fileExists(atPath: path)
        guard isPlain || FileManager.default.fileExists(atPath: path + ".gz") else {
            throw Failure("read", path, errno: ENOENT)
        }
        let data = isPlain ? FileManager.default.contents(atPath: path) : try uncompressed(path + ".gz")
        guard let data, data.count % 4 == 0 else {
            throw Failure(sentence: "\(path) is no trace, four bytes a request")
        }
        return data.withUnsafeBytes { bytes in
            (0..<bytes.count / 4).map {
                UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self))
            }
        }
    }

    private static func uncompressed(_ path: String) throws -> Data {
        let gzip = Process()
        gzip.executableURL = URL(filePath: "/usr/bin/env")
        gzip.arguments = ["gzip", "-dc", path]
        let pipe = Pipe()
        gzip.standardOutput = pipe
        try gzip.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        gzip.waitUntilExit()
        guard gzip.terminationStatus == 0 else { throw Failure(sentence: "gzip cannot read \(path)") }
        return data
    }
}
