internal import CLinux

extension KernelFile {
    /// Reads a file of up to 16 KiB, such as `/proc/vmstat` with its 4 to 5 KiB, and hands the bytes to `body`.
    ///
    /// The rest of a longer file is cut off. The bytes are on the stack; the pointer is invalid after `body`.
    ///
    /// - Throws: ``KernelError`` with the errno of open(2) or pread(2).
    package static func whole<Result>(
        _ path: String,
        _ body: (UnsafeRawBufferPointer) -> Result
    ) throws(KernelError) -> Result {
        let file = try Descriptor(opening: path, O_RDONLY)
        // Not withUnsafeTemporaryAllocation, which takes more than 1 KiB from the heap.
        var bytes = InlineArray<16384, UInt8>(repeating: 0)
        var failure: CInt = 0
        var span = bytes.mutableSpan
        let result: Result? = span.withUnsafeMutableBytes { buffer in
            var count = 0
            // One read is not enough: the kernel returns a file made of records, such as vmstat, one page at a time.
            while count < buffer.count {
                let more = retryingInterrupted {
                    pread(file.raw, buffer.baseAddress?.advanced(by: count), buffer.count - count, off_t(count))
                }
                guard more >= 0 else {
                    failure = errno
                    return nil
                }
                if more == 0 { break }
                count += more
            }
            return body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
        guard let result else { throw KernelError("read", path, errno: failure) }
        return result
    }

    /// Reads a file that contains one number; `nil` stands for the word `max`.
    ///
    /// - Throws: ``KernelError``; `EBADMSG` stands for a text that is neither.
    package static func number(in path: String) throws(KernelError) -> UInt64? {
        let file = try Descriptor(opening: path, O_RDONLY)
        // The longest text has 20 digits and a newline.
        let text: (isMax: Bool, number: UInt64?) = try read(file.raw, path: path, limit: 32) { bytes in
            let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
            return (line.elementsEqual("max".utf8), UInt64(decimal: line))
        }
        guard text.isMax || text.number != nil else { throw KernelError("understand", path, errno: EBADMSG) }
        return text.number
    }
}
