import ResourceManager

/// One picture: its view is loaded when it is shown, and released when memory is short and it is not shown.
final class PictureController: ViewController {
    private let number: Int
    private let mebibytes: Int
    private var loads = 0

    init(number: Int, mebibytes: Int, host: ControllerHost) {
        self.number = number
        self.mebibytes = mebibytes
        super.init(host: host)
    }

    override func loadView() {
        view = PictureView(Pixels(mebibytes: mebibytes))
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        loads += 1
        if loads > 1 { Log.line("picture \(number) loaded again") }
    }

    override func viewDidUnload() {
        super.viewDidUnload()
        Log.line("picture \(number) unloaded")
    }
}

/// A view that holds pixels.
final class PictureView: View {
    private let pixels: Pixels

    init(_ pixels: Pixels) {
        self.pixels = pixels
        super.init()
        cost = pixels.size
    }
}
