import Systemd

/// The kinds of log entries; `packaging/systemd/catalog/memwarnd.catalog` explains each.
enum LogEntryKind: CaseIterable {
    case started
    case stopped
    case reloaded
    case reloadFailed
    case configurationIgnored
    case hostsTakenOver
    case storeUseless
    case storeFull
    case memoryNotLocked
    case doorOpened
    case doorClosed
    case doorUnavailable
    case levelChanged
    case roundOver
    case scopeLost
    case hostLost
    case processesHidden
    case refused
    case commandSent
    case entriesDropped

    /// Finds all entries of the kind with `journalctl MESSAGE_ID=…`; never changed, and never used for another kind.
    var messageID: StaticString {
        switch self {
        case .started: "682951b595fd433996174be20b859a0a"
        case .stopped: "f4d33624762e41aebcc01ed38f24b2fa"
        case .reloaded: "44146cec1efd43f482ccb515326962d7"
        case .reloadFailed: "b57be21690824ddfa6b74f84c8ef75b4"
        case .configurationIgnored: "9c04be6d8d6e4b3ab5e0b2fb3455e3d9"
        case .hostsTakenOver: "103f327ca6de475c9dc1a3f8bb41818f"
        case .storeUseless: "11cc628b6cbc47539cced12e79e5d51d"
        case .storeFull: "40f358e2df7c48398b9cd352b8df64c5"
        case .memoryNotLocked: "b7500e7b42f44404ba19e3b5859e3f0e"
        case .doorOpened: "723f76c9a7ee41609981a8fcc8c4012b"
        case .doorClosed: "98458a704e8f4a338d788f7be899e9e2"
        case .doorUnavailable: "a31e2aeda8d14110ae2b11b784f670a0"
        case .levelChanged: "16a63b62abec4f30b404331f57b26dc7"
        case .roundOver: "91566a07818847b89dcc1331c78b897b"
        case .scopeLost: "5b4d07973e4c4646bf0e65aded872dd9"
        case .hostLost: "f1623cb18fd34e12ad2f9df727122faf"
        case .processesHidden: "b77b0d7a500b4e79b57f91ab859ab9c4"
        case .refused: "1daeb2ca7dd54618b0e368cefeda0b94"
        case .commandSent: "1460d871ae6a40ffa741b19594685ea2"
        case .entriesDropped: "699a5ab79ff9430e91b8d333e46c5215"
        }
    }

    var priority: Journal.Priority {
        switch self {
        case .hostLost: .error
        case .reloadFailed, .configurationIgnored, .storeUseless, .storeFull, .processesHidden: .warning
        case .doorUnavailable, .refused, .entriesDropped: .warning
        case .started, .stopped, .reloaded, .hostsTakenOver: .notice
        case .doorOpened, .doorClosed, .levelChanged, .scopeLost: .notice
        case .roundOver, .commandSent, .memoryNotLocked: .info
        }
    }
}
