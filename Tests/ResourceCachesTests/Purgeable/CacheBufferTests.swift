import CLinux
import TestSupport
import Testing

@testable import ResourceCaches

struct CacheBufferTests {
    private func status(_ field: String) throws -> Int {
        let file = try #require(fopen("/proc/self/status", "r"))
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, CInt(line.count), file) != nil {
            let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                .split(whereSeparator: \.isWhitespace)
            if words.first == "\(field):" { return try #require(Int(words[1])) }
        }
        return try #require(nil, "no \(field)")
    }

    @Test("only touched pages count as memory, whatever the number of pages", arguments: [0, 1, 1500])
    func resident(touched: Int) throws {
        let page = CacheBuffer.pageSize
        let buffer = try CacheBuffer(zeroes: 3000 * page)
        // A huge page would make neighbouring pages resident.
        #expect(madvise(buffer.pages(0).baseAddress, buffer.allocatedCount, MADV_NOHUGEPAGE) == 0)
        buffer.write { bytes in
            for index in 0..<touched { bytes.storeBytes(of: 1, toByteOffset: 2 * index * page, as: UInt8.self) }
        }
        #expect(buffer.residentCount == touched * page)
    }

    @Test(
        "the bytes have the written values, and zero elsewhere",
        arguments: [0, 1, CacheBuffer.pageSize, CacheBuffer.pageSize + 1]
    )
    func bytes(count: Int) throws {
        let buffer = try CacheBuffer(count: count) { bytes in
            #expect(bytes.byteCount == count)
            if count > 0 { bytes.storeBytes(of: 9, toByteOffset: count - 1, as: UInt8.self) }
        }
        let read = buffer.withBytes { $0.array }
        #expect(read == [UInt8](repeating: 0, count: max(count - 1, 0)) + (count > 0 ? [9] : []))
        #expect(buffer.count == count)
        #expect(buffer.allocatedCount == (count > CacheBuffer.pageSize ? 2 : 1) * CacheBuffer.pageSize)
    }

    @Test("a copy has the same bytes")
    func copy() throws {
        let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0) }
        let buffer = try CacheBuffer(copying: bytes.span.bytes)
        #expect(buffer.withBytes { $0.array } == bytes)
    }

    @Test(
        "a buffer's memory returns to the system with the last reference (7.15)",
        .disabled(if: isUnderThreadSanitizer, "the thread sanitizer keeps memory of its own for what was written")
    )
    func memoryReturns() throws {
        let mebibytes = 48
        let before = ProcessMemory.residentBytes() >> 20
        try {
            let buffer = try CacheBuffer(count: mebibytes << 20) { $0.fill(with: 1) }
            #expect(ProcessMemory.residentBytes() >> 20 >= before + UInt64(mebibytes) - 4)
            withExtendedLifetime(buffer) {}
        }()
        #expect(ProcessMemory.residentBytes() >> 20 <= before + 4)
    }

    @Test(
        "locked memory, which cannot be dropped page by page, returns as well",
        .disabled(if: isUnderThreadSanitizer, "the thread sanitizer locks no memory")
    )
    func lockedMemoryReturns() throws {
        let before = try status("VmLck")
        try {
            let buffer = try CacheBuffer(zeroes: 10 * CacheBuffer.pageSize)
            try #require(mlock(try #require(buffer.pages(buffer.count).baseAddress), buffer.count) == 0)
            #expect(try status("VmLck") == before + 10 * CacheBuffer.pageSize / 1024)
        }()
        #expect(try status("VmLck") == before)
    }

    @Test("memory that the kernel refuses is an error with the call, the errno and a remedy")
    func noMemory() {
        let error = #expect(throws: CacheBufferError.self) { try CacheBuffer(zeroes: 1 << 60) }
        #expect(error == CacheBufferError("mmap", byteCount: 1 << 60, errno: ENOMEM))
        #expect(
            error?.description == """
                cannot mmap 1152921504606846976 bytes of anonymous memory: Cannot allocate memory (errno 12); hold less, or \
                raise the limit that is reached: the address space (ulimit -v), the committed memory \
                (vm.overcommit_memory=2) or the number of mappings (vm.max_map_count)
                """
        )
        #expect(CacheBufferError("mmap", byteCount: 1, errno: EAGAIN).advice.contains("ulimit -l"))
    }

    @Test("an error of the writing closure is passed on, and its memory is released")
    func writingFails() throws {
        struct Unreadable: Error {}
        let before = try status("VmSize")
        #expect(throws: Unreadable.self) { try CacheBuffer(count: 64 << 20) { _ in throw Unreadable() } }
        #expect(try status("VmSize") < before + 32 * 1024)
    }
}
