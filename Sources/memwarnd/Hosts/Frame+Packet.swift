import CLinux
import MemwarnProtocol

extension Frame {
    /// Calls `body` with the encoded frame, which can be sent to any number of hosts.
    ///
    /// Only for frames whose strings are within their limits: they were read from a frame, or cut to the limit.
    func withPacket<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeTemporaryAllocation(byteCount: Frame.maximumSize, alignment: 8) { buffer in
            let count = encodeFitting(into: buffer)
            return body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// Encodes a frame whose strings are within their limits, into a buffer of the maximum size.
    func encodeFitting(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        do throws(FrameError) {
            return try encode(into: buffer)
        } catch {
            trap("a frame does not encode: \(error)")
        }
    }
}
