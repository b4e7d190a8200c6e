extension BudgetShare: PropertyConvertible {
    /// A share in the form that archives use: `{"bytes": {"minimum": 1048576, "weight": 2}}`.
    ///
    /// Fields that are left out have the defaults of the initialisers.
    public init?(propertyValue: PropertyValue) {
        guard case .object(let properties) = propertyValue else { return nil }
        self.init(
            bytes: properties["bytes"] ?? Demand(),
            slots: properties["slots"] ?? Demand(),
            threads: properties["threads"] ?? Demand()
        )
    }

    /// The share with every field written out.
    public var propertyValue: PropertyValue {
        .object(
            Properties([
                "bytes": bytes.propertyValue, "slots": slots.propertyValue, "threads": threads.propertyValue,
            ])
        )
    }
}

extension BudgetShare.Demand: PropertyConvertible {
    /// A demand in the form that archives use: `{"minimum": 1048576, "maximum": 8388608, "weight": 2, "priority": 1}`.
    public init?(propertyValue: PropertyValue) {
        guard case .object(let properties) = propertyValue else { return nil }
        self.init(
            minimum: properties["minimum"] ?? 0,
            maximum: properties["maximum"] ?? .max,
            weight: properties["weight"] ?? 1,
            priority: properties["priority"] ?? 0
        )
    }

    /// The demand with every field written out, except an unlimited maximum.
    public var propertyValue: PropertyValue {
        var properties = Properties([
            "minimum": .integer(minimum), "weight": .number(weight), "priority": .integer(priority),
        ])
        if maximum != .max { properties["maximum"] = maximum }
        return .object(properties)
    }
}
