/// The parts that all frames have in common; `docs/PROTOCOL.md` specifies their bytes.
enum FrameFormat {
    /// The maximum size of a frame in bytes.
    static let maximumSize = 4096
    /// The bytes before a message's own fields.
    static let headerSize = 16
    /// The version of the protocol in every written frame, and the only version that is read.
    static let version: UInt8 = 1
}

/// The number that stands for a message in the header.
enum MessageType: UInt8 {
    case hello = 1
    case welcome = 2
    case warning = 3
    case acknowledgement = 4
    case error = 5
    case command = 6
    case outcome = 7
    case query = 16
    case simulate = 17
    case subscribe = 18
    case send = 19
    case daemon = 32
    case scope = 33
    case host = 34
    case round = 35
    case end = 36
    case missed = 37
    case commandRecord = 38
    case counters = 39
}
