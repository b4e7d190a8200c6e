import FoundationEssentials

/// One photo of one client.
struct Photo: Hashable, Sendable {
    let client: Int
    let number: Int
}

/// The photos that the clients have sent: JPEG files in a folder.
struct Originals: Sendable {
    let directory: String

    private func path(of photo: Photo) -> String { "\(directory)/\(photo.client)-\(photo.number).jpg" }

    func contains(_ photo: Photo) -> Bool {
        FileManager.default.fileExists(atPath: path(of: photo))
    }

    /// Reads and decodes a photo, on no actor.
    @concurrent func decode(_ photo: Photo) async throws -> Picture {
        try Picture(jpeg: Array(Data(contentsOf: URL(filePath: path(of: photo)))))
    }

    /// Generates photos for the example.
    func make(clients: Int, photos: Int, width: Int, height: Int) throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        for client in 0..<clients {
            for number in 0..<photos {
                let photo = Photo(client: client, number: number)
                let picture = try Self.landscape(seed: client * photos + number, width: width, height: height)
                try Data(picture.jpeg(quality: 90)).write(to: URL(filePath: path(of: photo)))
            }
        }
    }

    /// A sky, hills and grain, which compress about as well as a photo.
    static func landscape(seed: Int, width: Int, height: Int) throws -> Picture {
        try Picture(width: width, height: height) { pixels in
            var grain = UInt32(truncatingIfNeeded: seed) &* 2_654_435_761 | 1
            for y in 0..<height {
                for x in 0..<width {
                    grain ^= grain << 13
                    grain ^= grain >> 17
                    grain ^= grain << 5
                    let hill = (x * (seed % 5 + 1) / 7 % 256 + x * x / (width + seed) % 128) * height / 768
                    let isGround = y > height / 2 + hill / 2
                    let noise = Int(grain & 15)
                    let at = (y * width + x) * 3
                    pixels[at] = UInt8((isGround ? 40 + x * 60 / width : 90 + y * 80 / height) + noise)
                    pixels[at + 1] = UInt8((isGround ? 90 + seed * 13 % 90 : 130 + y * 60 / height) + noise)
                    pixels[at + 2] = UInt8((isGround ? 30 : 180 + seed * 7 % 50) + noise)
                }
            }
        }
    }
}
