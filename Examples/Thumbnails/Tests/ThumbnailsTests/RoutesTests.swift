import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import ResourceManager
import Testing

@testable import thumbnails

/// A service with two clients of two photos each, in a folder of its own.
struct RoutesTests {
    private final class Folder {
        let path = FileManager.default.temporaryDirectory.path + "/thumbnails-\(UUID().uuidString)"
        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    private let folder = Folder()
    private let studio: Studio
    private let thumbnails: Thumbnails
    private let responder: any HTTPResponder<BasicRequestContext>
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    init() throws {
        let originals = Originals(directory: folder.path)
        try originals.make(clients: 2, photos: 2, width: 320, height: 240)
        studio = Studio(originals, idleTime: .seconds(60), logger: logger)
        thumbnails = Thumbnails(studio)
        responder = Routes(originals: originals, studio: studio, thumbnails: thumbnails).router.buildResponder()
    }

    private func get(_ path: String) async throws -> Response {
        let head = HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: path)
        let context = BasicRequestContext(
            source: ApplicationRequestContextSource(channel: EmbeddedChannel(), logger: logger)
        )
        return try await responder.respond(to: Request(head: head, body: .init(buffer: ByteBuffer())), context: context)
    }

    private func status(of path: String) async -> HTTPResponse.Status? {
        do {
            return try await get(path).status
        } catch {
            return (error as? any HTTPResponseError)?.status
        }
    }

    @Test("a thumbnail is a JPEG file of the requested width")
    func thumbnail() async throws {
        let response = try await get("/clients/1/photos/0?width=80")
        #expect(response.status == .ok)
        #expect(response.headers[.contentType] == "image/jpeg")
        let picture = try await Picture(
            jpeg: thumbnails.thumbnail(.init(photo: Photo(client: 1, number: 0), width: 80))
        )
        #expect(response.body.contentLength == thumbnails.cache.totalCost)
        #expect(picture.width == 80)
        #expect(picture.height == 60)
    }

    @Test("the second request is served from the cache, without reading the photo")
    func cached() async throws {
        _ = try await get("/clients/0/photos/0?width=80")
        thumbnails.cache.insert([1, 2, 3], for: .init(photo: Photo(client: 0, number: 0), width: 80))
        #expect(try await get("/clients/0/photos/0?width=80").body.contentLength == 3)
    }

    @Test("another size does not read the file again")
    func kept() async throws {
        _ = try await get("/clients/0/photos/1?width=80")
        try FileManager.default.moveItem(atPath: folder.path + "/0-1.jpg", toPath: folder.path + "/gone.jpg")
        _ = try await studio.original(Photo(client: 0, number: 1))
        await #expect(throws: (any Error).self) { try await studio.original(Photo(client: 0, number: 7)) }
    }

    @Test(
        "a missing photo is not found",
        arguments: ["/clients/2/photos/0?width=80", "/clients/0/photos/9?width=80"]
    )
    func missing(path: String) async {
        #expect(await status(of: path) == .notFound)
    }

    @Test("a bad request is refused", arguments: ["", "?width=0", "?width=-1", "?width=1025", "?width=wide"])
    func refused(query: String) async {
        #expect(await status(of: "/clients/0/photos/0" + query) == .badRequest)
    }

    @Test(
        "names that are not numbers reach no file",
        arguments: ["/clients/..%2f1/photos/0?width=80", "/clients/x/photos/0?width=80"]
    )
    func names(path: String) async {
        #expect(await status(of: path) == .badRequest)
    }

    @Test("the status lists the clients that are shown")
    func status() async throws {
        _ = try await get("/clients/0/photos/0?width=80")
        #expect(await studio.status.contains("clients 1\nshown 1\nloaded 1\n"))
        #expect(await status(of: "/status") == .ok)
    }
}
