/// The permitted lengths of the strings in a frame, in bytes of UTF-8.
///
/// Any message with its strings at these limits fits ``Frame/maximumSize``. A frame with a string outside its limit is
/// an error on both sides.
package enum TextLimit {
    /// The name of a host.
    package static let name = 1...64
    /// The name of a command.
    package static let command = 1...64
    /// The argument of a command, or a host's answer to it.
    package static let text = 0...2048
    /// The path of a cgroup.
    package static let path = 0...1024
    /// A sentence for a person.
    package static let message = 0...512
    /// The version of a program.
    package static let version = 0...64
}
