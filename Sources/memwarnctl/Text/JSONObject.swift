import MemoryPressure
import MemwarnProtocol

/// A value of JSON.
enum JSONValue: Encodable {
    case text(String)
    case whole(UInt64)
    case number(Double)
    case flag(Bool)
    case list([JSONObject])
    case object(JSONObject)

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .whole(let number): try container.encode(number)
        case .number(let number): try container.encode(number)
        case .flag(let flag): try container.encode(flag)
        case .list(let objects): try container.encode(objects)
        case .object(let object): try container.encode(object)
        }
    }
}

/// A message as an object of JSON: bytes, seconds and percent as plain numbers with their unit in the name.
struct JSONObject: Encodable {
    private var members: [String: JSONValue] = [:]

    /// An object with a member for each field.
    init(_ message: some FrameBody) {
        var message = message
        // This throws nothing: the fields are only read.
        try? message.visit(&self)
    }

    /// The reason, with its limit.
    init(_ reason: PressureReason) {
        self["source"] = .text("\(reason.source)")
        self["percent"] = .number(reason.figure.percent)
        self["thresholdPercent"] = .number(reason.threshold.percent)
        self["limit"] = reason.limit.map { .object(JSONObject($0)) }
    }

    private init(_ limit: BindingLimit) {
        self["kind"] = .text("\(limit.kind)")
        self["bytes"] = .whole(limit.bytes)
        self["path"] = .text(limit.path)
    }

    /// A member; `nil` if there is none with that name.
    subscript(_ name: String) -> JSONValue? {
        get { members[name] }
        set { members[name] = newValue }
    }

    /// Renames a member.
    mutating func rename(_ name: String, to other: String) {
        members[other] = members.removeValue(forKey: name)
    }

    func encode(to encoder: any Encoder) throws {
        try members.encode(to: encoder)
    }
}

extension JSONObject: FieldVisitor {
    mutating func integer<Value: FixedWidthInteger & BitwiseCopyable>(
        _ value: inout Value,
        _ name: String,
        in unit: FieldUnit
    ) {
        switch unit {
        case .count: self[name] = .whole(UInt64(value))
        case .bytes: self[name.hasPrefix("bytes") ? name : name + "Bytes"] = .whole(UInt64(value))
        case .milliseconds: self[name + "Seconds"] = .number(Double(value) / 1e3)
        case .microseconds: self[name + "Seconds"] = .number(Double(value) / 1e6)
        }
    }

    mutating func text(_ text: inout String, _ name: String, within limit: ClosedRange<Int>) {
        self[name] = .text(text)
    }

    mutating func choice<Value: RawRepresentable<UInt8>>(_ value: inout Value, _ name: String) {
        self[name] = .text("\(value)")
    }

    mutating func choice<Value: RawRepresentable<UInt8>>(_ value: inout Value, _ name: String, unknown: Value) {
        self[name] = .text("\(value)")
    }

    mutating func share(_ share: inout Share, _ name: String) {
        self[name + "Percent"] = .number(share.percent)
    }

    mutating func reason(_ reason: inout PressureReason) {
        self["reason"] = .object(JSONObject(reason))
    }

    mutating func limit(_ limit: inout BindingLimit?) {
        self["limit"] = limit.map { .object(JSONObject($0)) }
    }
}
