/// A named command for a host.
///
/// Only sent to a host whose ``Hello`` accepts ``HostMessages/commands``. It is answered with a ``CommandReply`` of the
/// same sequence.
package struct CommandRequest: FrameBody, Equatable, Sendable {
    /// The command's name, within ``TextLimit/command``.
    package var name = ""
    /// The sender's argument, within ``TextLimit/text``; may be empty.
    package var argument = ""

    /// Creates a command.
    package init(name: String, argument: String = "") {
        self.name = name
        self.argument = argument
    }

    package init() {}

    package mutating func visit(_ fields: inout some FieldVisitor) throws(FrameError) {
        try fields.text(&name, "name", within: TextLimit.command)
        try fields.text(&argument, "argument", within: TextLimit.text)
    }
}
