import ResourceManager
import Testing

@testable import thumbnails

struct ClientsTests {
    private final class Time {
        var now = ContinuousClock.now
    }

    private let time = Time()
    private let host = ControllerHost("test")
    private let clients: Clients

    init() {
        clients = Clients(host: host, idleTime: .seconds(60)) { [time] in time.now }
    }

    private func picture() throws -> Picture { try Originals.landscape(seed: 1, width: 64, height: 64) }

    private func keep(_ numbers: [Int], of client: Int) throws {
        for number in numbers { clients.controller(of: client).album?.keep(try picture(), as: number) }
    }

    @Test("a warning drops the photos of an idle client, which get loaded again when it returns")
    func idle() throws {
        try keep([0, 1], of: 7)
        let cost = try picture().cost
        #expect(clients.originalBytes == 2 * cost)
        time.now += .seconds(60)
        try keep([0], of: 8)
        let release = host.simulateMemoryWarning()
        #expect(release.released == UInt64(2 * cost))
        #expect(clients.shownCount == 1)
        #expect(clients.count == 1)
        try keep([0], of: 7)
        #expect(clients.shownCount == 2)
        #expect(clients.controller(of: 7).album?.picture(1) == nil)
    }

    @Test("an active client keeps the last photo that it asked for")
    func active() throws {
        try keep([0, 1, 2], of: 7)
        _ = clients.controller(of: 7).album?.picture(1)
        let release = host.simulateMemoryWarning(.critical)
        let cost = try picture().cost
        #expect(release.released == UInt64(2 * cost))
        let album = clients.controller(of: 7).album
        #expect(album?.picture(1) != nil)
        #expect(album?.picture(0) == nil)
        #expect(album?.picture(2) == nil)
    }

    @Test("nothing happens to a client that is idle while memory is not short")
    func noWarning() throws {
        try keep([0], of: 7)
        time.now += .seconds(3600)
        try keep([0], of: 8)
        #expect(clients.loadedCount == 2)
        #expect(clients.shownCount == 2)
    }

    @Test("a photo that is kept twice costs once")
    func twice() throws {
        try keep([4, 4], of: 7)
        #expect(clients.originalBytes == (try picture().cost))
    }
}
