import ResourceManager

/// One client of the service.
///
/// Its view has the client's photos as pixels, so that the next size of one of them is only scaled and not decoded again.
final class ClientController: ViewController {
    override func loadView() { view = Album() }

    /// The pixels; loads the view, and has none of them if that was unloaded.
    var album: Album? { view as? Album }

    /// In service and memory is short: the photo that was asked for last is likely to be asked for again, the others are not.
    override func degrade() -> Int {
        (viewIfLoaded as? Album)?.dropAllButLast() ?? 0
    }
}

/// Photos of one client, decoded.
final class Album: View {
    private var pictures: [(number: Int, picture: Picture)] = [] {
        didSet { cost = pictures.reduce(0) { $0 + $1.picture.cost } }
    }

    /// A photo that is there, which becomes the last one that was asked for.
    func picture(_ number: Int) -> Picture? {
        guard let index = pictures.firstIndex(where: { $0.number == number }) else { return nil }
        pictures.append(pictures.remove(at: index))
        return pictures.last?.picture
    }

    func keep(_ picture: Picture, as number: Int) {
        pictures.removeAll { $0.number == number }
        pictures.append((number, picture))
    }

    /// Drops what was not asked for last, and returns how many bytes that were.
    func dropAllButLast() -> Int {
        let before = cost
        pictures = pictures.suffix(1)
        return before - cost
    }
}
