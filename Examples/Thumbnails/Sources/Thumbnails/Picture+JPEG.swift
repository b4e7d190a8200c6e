import CTurboJPEG

/// The error of libjpeg-turbo about a picture.
struct JPEGError: Error, CustomStringConvertible {
    let operation: String
    let reason: String

    var description: String { "cannot \(operation): \(reason)" }

    /// The last error of a handle, or of none if there is no memory for a handle.
    init(_ operation: String, _ handle: tjhandle?) {
        self.operation = operation
        reason = String(cString: tjGetErrorStr2(handle))
    }

    init(_ operation: String, reason: String) {
        self.operation = operation
        self.reason = reason
    }
}

extension Picture {
    /// More than any camera makes: a file of a few bytes can state any size.
    private static let mostPixels = 100_000_000

    /// Decodes a JPEG file.
    ///
    /// - Throws: ``JPEGError`` if it is none; `CacheBufferError` if there is no memory to map.
    init(jpeg bytes: [UInt8]) throws {
        guard let handle = tjInitDecompress() else { throw JPEGError("decode", nil) }
        defer { tjDestroy(handle) }
        var (width, height, subsampling, space): (CInt, CInt, CInt, CInt) = (0, 0, 0, 0)
        let length = UInt(bytes.count)
        guard tjDecompressHeader3(handle, bytes, length, &width, &height, &subsampling, &space) == 0 else {
            throw JPEGError("read the header", handle)
        }
        guard Int(width) * Int(height) <= Self.mostPixels else {
            throw JPEGError("decode", reason: "\(width) by \(height) pixels are too many")
        }
        try self.init(width: Int(width), height: Int(height)) { pixels in
            let format = CInt(TJPF_RGB.rawValue)
            guard tjDecompress2(handle, bytes, length, pixels.baseAddress, width, 0, height, format, 0) == 0 else {
                throw JPEGError("decode", handle)
            }
        }
    }

    /// The picture as a JPEG file.
    ///
    /// - Parameter quality: From 1 to 100.
    /// - Returns: The file.
    /// - Throws: ``JPEGError`` if the picture is too large for the format.
    func jpeg(quality: Int = 85) throws -> [UInt8] {
        guard let handle = tjInitCompress() else { throw JPEGError("encode", nil) }
        defer { tjDestroy(handle) }
        return try withPixels { pixels in
            var file: UnsafeMutablePointer<UInt8>?
            var size: UInt = 0
            defer { tjFree(file) }
            let result = tjCompress2(
                handle,
                pixels.baseAddress,
                CInt(width),
                0,
                CInt(height),
                CInt(TJPF_RGB.rawValue),
                &file,
                &size,
                CInt(TJSAMP_420.rawValue),
                CInt(quality),
                0
            )
            guard result == 0 else { throw JPEGError("encode", handle) }
            return Array(UnsafeBufferPointer(start: file, count: Int(size)))
        }
    }
}
