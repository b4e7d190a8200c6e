/// A controller that adds a line to the answer to `status`.
protocol Described {
    var detail: String { get }
}
