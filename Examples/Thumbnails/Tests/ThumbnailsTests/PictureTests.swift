import Testing

@testable import thumbnails

struct PictureTests {
    @Test("a picture is as large after a JPEG file as before it, and about the same")
    func roundTrip() throws {
        let landscape = try Originals.landscape(seed: 3, width: 97, height: 61)
        let back = try Picture(jpeg: landscape.jpeg(quality: 95))
        #expect(back.width == 97)
        #expect(back.height == 61)
        let difference = landscape.withPixels { before in
            back.withPixels { after in
                zip(before, after).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) } / before.count
            }
        }
        #expect(difference < 12)
    }

    @Test("each pixel of a smaller picture is the average of the pixels that it replaces")
    func scaling() throws {
        // Four by two: columns of 10, 20, 30 and 40 above 50, 60, 70 and 80.
        let picture = try Picture(width: 4, height: 2) { pixels in
            for index in pixels.indices { pixels[index] = UInt8((index / 3 + 1) * 10) }
        }
        let scaled = try picture.scaled(toWidth: 2)
        #expect(scaled.height == 1)
        #expect(scaled.withPixels(Array.init) == [35, 35, 35, 55, 55, 55])
    }

    @Test("a picture is never made larger", arguments: [4, 5, 1000])
    func noLarger(width: Int) throws {
        let picture = try Originals.landscape(seed: 1, width: 4, height: 3)
        let scaled = try picture.scaled(toWidth: width)
        #expect(scaled.withPixels(Array.init) == picture.withPixels(Array.init))
    }

    @Test("a file that is not a JPEG is refused with a reason")
    func refused() throws {
        let error = #expect(throws: JPEGError.self) { try Picture(jpeg: [1, 2, 3]) }
        #expect(error?.description.hasPrefix("cannot read the header: ") == true)
        #expect(throws: JPEGError.self) { try Picture(jpeg: []) }
    }

    @Test("a header that promises too much is refused before memory is mapped")
    func tooLarge() throws {
        var file = try Originals.landscape(seed: 1, width: 16, height: 16).jpeg()
        // The frame header: marker, length, precision, then height and width.
        let frame = try #require(file.indices.first { file[$0] == 0xff && file[$0 + 1] == 0xc0 })
        for index in 5...8 { file[frame + index] = 0xf0 }
        let error = #expect(throws: JPEGError.self) { try Picture(jpeg: file) }
        #expect(error?.description == "cannot decode: 61680 by 61680 pixels are too many")
    }
}
