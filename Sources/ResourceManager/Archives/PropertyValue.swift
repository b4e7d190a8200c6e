/// A value in an archive or in a saved state: a JSON value, with integers and fractions kept apart.
///
/// Values are compared, hashed and destroyed recursively, on the caller's stack. Files hold values that are at most 256
/// deep; nest no deeper in code. Some ten thousand levels overflow a stack.
public enum PropertyValue: Sendable, Hashable {
    /// The JSON `null`.
    case null
    /// A truth value.
    case bool(Bool)
    /// A number without a fraction.
    case integer(Int)
    /// A number with a fraction, or too large for ``integer(_:)``.
    case number(Double)
    /// A string.
    case string(String)
    /// Values in order.
    case array([PropertyValue])
    /// Values by name.
    case object(Properties)
}

/// A type that an archive or a saved state can hold.
///
/// To make a type of your own conform, convert it to and from one that does.
public protocol PropertyConvertible {
    /// The value from an archive; `nil` if the archive has a value of another kind.
    init?(propertyValue: PropertyValue)
    /// The value for an archive.
    var propertyValue: PropertyValue { get }
}

extension PropertyValue: PropertyConvertible {
    /// The value itself.
    public init?(propertyValue: PropertyValue) { self = propertyValue }
    /// The value itself.
    public var propertyValue: PropertyValue { self }
}

extension Bool: PropertyConvertible {
    /// A truth value.
    public init?(propertyValue: PropertyValue) {
        guard case .bool(let value) = propertyValue else { return nil }
        self = value
    }
    /// ``PropertyValue/bool(_:)``.
    public var propertyValue: PropertyValue { .bool(self) }
}

extension Int: PropertyConvertible {
    /// A number without a fraction.
    public init?(propertyValue: PropertyValue) {
        switch propertyValue {
        case .integer(let value): self = value
        case .number(let value):
            guard let whole = Int(exactly: value) else { return nil }
            self = whole
        default: return nil
        }
    }
    /// ``PropertyValue/integer(_:)``.
    public var propertyValue: PropertyValue { .integer(self) }
}

extension Double: PropertyConvertible {
    /// Any number.
    public init?(propertyValue: PropertyValue) {
        switch propertyValue {
        case .integer(let value): self = Double(value)
        case .number(let value): self = value
        default: return nil
        }
    }
    /// ``PropertyValue/number(_:)``.
    public var propertyValue: PropertyValue { .number(self) }
}

extension String: PropertyConvertible {
    /// A string.
    public init?(propertyValue: PropertyValue) {
        guard case .string(let value) = propertyValue else { return nil }
        self = value
    }
    /// ``PropertyValue/string(_:)``.
    public var propertyValue: PropertyValue { .string(self) }
}

extension Array: PropertyConvertible where Element: PropertyConvertible {
    /// Values of one type; `nil` if one of them has another type.
    public init?(propertyValue: PropertyValue) {
        guard case .array(let values) = propertyValue else { return nil }
        self = []
        for value in values {
            guard let element = Element(propertyValue: value) else { return nil }
            append(element)
        }
    }
    /// ``PropertyValue/array(_:)``.
    public var propertyValue: PropertyValue { .array(map(\.propertyValue)) }
}

extension Properties: PropertyConvertible {
    /// Values by name.
    public init?(propertyValue: PropertyValue) {
        guard case .object(let value) = propertyValue else { return nil }
        self = value
    }
    /// ``PropertyValue/object(_:)``.
    public var propertyValue: PropertyValue { .object(self) }
}
