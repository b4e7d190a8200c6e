/// A controller that has something to say in the answer to `status`.
protocol Described {
    var detail: String { get }
}
