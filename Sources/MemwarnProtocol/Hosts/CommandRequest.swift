/// Something that a host is asked to do by name.
///
/// Only sent to a host whose ``Hello`` accepts ``HostMessages/commands``. It is answered with a ``CommandReply`` of the
/// same sequence.
public struct CommandRequest: Equatable, Sendable {
    /// What is to be done, within ``TextLimit/command``.
    public var name: String
    /// What the sender says besides, within ``TextLimit/text``; empty if nothing.
    public var argument: String

    /// Something to be done.
    public init(name: String, argument: String = "") {
        self.name = name
        self.argument = argument
    }
}

extension CommandRequest {
    init(from reader: inout FrameReader) throws(FrameError) {
        name = try reader.text("name", within: TextLimit.command)
        argument = try reader.text("argument", within: TextLimit.text)
    }

    func write(to writer: inout FrameWriter) throws(FrameError) {
        try writer.put(name, "name", within: TextLimit.command)
        try writer.put(argument, "argument", within: TextLimit.text)
    }
}
