/// A place in a text that is no configuration, whatever its keys mean.
struct ConfigurationSyntaxError: Error, Equatable {
    /// From 1.
    let line: Int
    /// In bytes, from 1.
    let column: Int
    let problem: String
}
