import ResourceManager

/// Makes a call in each layout.
final class CallingView: View {
    var call: () -> Void = {}

    override func layoutSubviews() {
        super.layoutSubviews()
        call()
    }
}
