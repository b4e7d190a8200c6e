import ResourceManager

/// One client of the service.
///
/// Its view holds the client's photos as pixels, so that another size of a photo is only scaled and not decoded again.
final class ClientController: ViewController {
    override func loadView() { view = Album() }

    /// The view with the pixels; loads it, without photos if it was unloaded.
    var album: Album? { view as? Album }

    /// Memory is short and the client is active: keeps only the photo of the last request, the likeliest to be requested again.
    override func degrade() -> Int {
        (viewIfLoaded as? Album)?.dropAllButLast() ?? 0
    }
}

/// Photos of one client, decoded.
final class Album: View {
    private var pictures: [(number: Int, picture: Picture)] = [] {
        didSet { cost = pictures.reduce(0) { $0 + $1.picture.cost } }
    }

    /// A photo if the album has it; it becomes the most recently requested one.
    func picture(_ number: Int) -> Picture? {
        guard let index = pictures.firstIndex(where: { $0.number == number }) else { return nil }
        pictures.append(pictures.remove(at: index))
        return pictures.last?.picture
    }

    func keep(_ picture: Picture, as number: Int) {
        pictures.removeAll { $0.number == number }
        pictures.append((number, picture))
    }

    /// Drops all photos except the most recently requested one, and returns the number of released bytes.
    func dropAllButLast() -> Int {
        let before = cost
        pictures = pictures.suffix(1)
        return before - cost
    }
}
