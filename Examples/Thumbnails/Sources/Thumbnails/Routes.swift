import HTTPTypes
import Hummingbird
import NIOCore

/// The routes: `/clients/3/photos/0?width=320`, and `/status`.
struct Routes: Sendable {
    let originals: Originals
    let studio: Studio
    let thumbnails: Thumbnails

    static let widths = 16...1024

    var router: Router<BasicRequestContext> {
        let router = Router()
        router.get("clients/:client/photos/:photo") { request, context in
            try await thumbnail(
                Photo(
                    client: context.parameters.require("client", as: Int.self),
                    number: context.parameters.require("photo", as: Int.self)
                ),
                width: request.uri.queryParameters.get("width", as: Int.self)
            )
        }
        router.get("status") { _, _ in
            await "\(studio.status)\n\(thumbnails.status)\n"
        }
        return router
    }

    private func thumbnail(_ photo: Photo, width: Int?) async throws -> Response {
        guard let width, Self.widths.contains(width) else {
            throw HTTPError(.badRequest, message: "width is a number from 16 to 1024")
        }
        guard originals.contains(photo) else { throw HTTPError(.notFound) }
        // A client that is served from the cache is active as well.
        await studio.noteRequest(of: photo.client)
        let file = try await thumbnails.thumbnail(.init(photo: photo, width: width))
        return Response(
            status: .ok,
            headers: [.contentType: "image/jpeg"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: file))
        )
    }
}
