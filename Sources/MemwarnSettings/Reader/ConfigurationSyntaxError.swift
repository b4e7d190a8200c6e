/// A syntax error in the text of a configuration, independent of its keys.
struct ConfigurationSyntaxError: Error, Equatable {
    /// From 1.
    let line: Int
    /// In bytes, from 1.
    let column: Int
    let problem: String
}
