/// How many bytes of UTF-8 the strings of a frame may have.
///
/// Any message with its strings at these limits fits ``Frame/maximumSize``. A frame with a string outside its limit is
/// an error on both sides.
public enum TextLimit {
    /// The name of a host.
    public static let name = 1...64
    /// The name of a command.
    public static let command = 1...64
    /// The argument of a command, or what a host answers to it.
    public static let text = 0...2048
    /// The path of a cgroup.
    public static let path = 0...1024
    /// A sentence for a person.
    public static let message = 0...512
    /// The version of a program.
    public static let version = 0...64
}
