/// Something that a host is asked to do by name.
///
/// Only sent to a host whose ``Hello`` accepts ``HostMessages/commands``. It is answered with a ``CommandReply`` of the
/// same sequence.
package struct CommandRequest: FrameBody, Equatable, Sendable {
    /// What is to be done, within ``TextLimit/command``.
    package var name = ""
    /// What the sender says besides, within ``TextLimit/text``; empty if nothing.
    package var argument = ""

    /// Something to be done.
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
