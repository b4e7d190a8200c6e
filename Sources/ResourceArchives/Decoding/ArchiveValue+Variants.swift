internal import ResourceManager

extension ArchiveValue {
    /// The variants of an object; `indispensable` describes an object that cannot be absent.
    func variants(ofWhatHasToBe indispensable: String?) -> [ArchiveVariant] {
        elements().compactMap { element in
            guard let section = element.section(VariantKey.self),
                let when = section.required(
                    .when,
                    "say where it applies, such as \"when\": {\"memoryClass\": \"small\"}"
                )
            else { return nil }
            var variant = ArchiveVariant(when: when.condition())
            variant.properties = section[.properties]?.properties() ?? Properties()
            variant.isAbsent = section[.absent]?.bool() ?? false
            if variant.isAbsent, let indispensable {
                section[.absent]?.report("\(indispensable) cannot be absent")
            }
            return variant
        }
    }

    private func condition() -> EnvironmentCondition {
        var condition = EnvironmentCondition()
        guard let section = section(ConditionKey.self) else { return condition }
        condition.mode = section[.mode]?.text().map { Environment.Mode(rawValue: $0) }
        condition.memoryClass = section[.memoryClass]?.choice(Environment.MemoryClass.self)
        condition.minimumCores = section[.minimumCores]?.count()
        condition.isDegraded = section[.degraded]?.bool()
        if case .object(let members) = node.value, members.count == 0 {
            report("applies everywhere; say where, or put it into the object itself", .warning)
        }
        return condition
    }
}
