import CLinux
import MemoryPressure

/// Makes real memory stalls: threads read random bytes of a mapped file that is larger than the limit of their cgroup,
/// so that pages that were just evicted have to be read again.
struct Thrash: ~Copyable {
    private static let threads = 4
    private static let block = 1 << 20

    private let file: Descriptor
    private let size: Int

    /// Creates the file, without a name and without pages in memory.
    ///
    /// The directory has to be on a disk: the pages of a file in memory cannot be read again.
    ///
    /// - Throws: ``KernelError`` if it cannot be made.
    init(directory: String, size: Int) throws(KernelError) {
        let path = "\(directory)/memwarnd-thrash-\(getpid())"
        let raw = retryingInterrupted { open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
        guard raw >= 0 else { throw KernelError("make", path, errno: errno) }
        let made = Descriptor(taking: raw)
        unlink(path)
        var bytes = [UInt8](repeating: 0, count: Self.block)
        for start in stride(from: 0, to: size, by: Self.block) {
            // The blocks differ, because some file systems store equal blocks once.
            for page in 0..<Self.block / 4096 {
                bytes[page * 4096] = UInt8(truncatingIfNeeded: start / Self.block + page)
            }
            guard retryingInterrupted({ write(raw, bytes, Self.block) }) == Self.block else {
                throw KernelError("fill", path, errno: errno)
            }
        }
        // The pages have to leave the page cache: remaining pages are charged to the cgroup of their writer.
        guard fsync(raw) == 0 else { throw KernelError("write back", path, errno: errno) }
        posix_fadvise(raw, 0, 0, CInt(POSIX_FADV_DONTNEED))
        file = made
        self.size = size
    }

    /// Reads for a while; ends early when the parent process ends.
    func run(for time: Duration) throws(KernelError) {
        let bytes = mmap(nil, size, PROT_READ, MAP_SHARED, file.raw, 0)
        guard let bytes, bytes != MAP_FAILED else { throw KernelError("map", "the file that is read", errno: errno) }
        for seed in 1...Self.threads {
            // It lives as long as the process, which ends while its threads read.
            let reader = UnsafeMutablePointer<Reader>.allocate(capacity: 1)
            reader.initialize(to: Reader(bytes: UnsafeRawBufferPointer(start: bytes, count: size), state: UInt64(seed)))
            var thread = pthread_t()
            let failure = pthread_create(&thread, nil, { Reader.read($0) }, reader)
            guard failure == 0 else { throw KernelError("start a thread to", "read", errno: failure) }
        }
        let parent = getppid()
        let end = MonotonicInstant.now.advanced(by: time)
        while MonotonicInstant.now < end, getppid() == parent { _ = poll(nil, 0, 50) }
    }

    /// One thread's part.
    private struct Reader {
        let bytes: UnsafeRawBufferPointer
        /// The state of the generator, mixed with the bytes read, so that the compiler does not remove the reads.
        var state: UInt64

        static func read(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
            guard let reader = argument?.assumingMemoryBound(to: Reader.self) else { return nil }
            while true {
                reader.pointee.state = reader.pointee.state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let offset = Int(reader.pointee.state >> 16) % reader.pointee.bytes.count
                reader.pointee.state &+= UInt64(reader.pointee.bytes[offset])
            }
        }
    }
}
