/// One step of a case.
struct Operation: Sendable {
    let perform: @Sendable (Runner) throws -> Void

    init(_ perform: @escaping @Sendable (Runner) throws -> Void) {
        self.perform = perform
    }

    /// Reads an operation.
    ///
    /// An unknown argument is an error, as is an unknown name.
    init(_ json: JSON) throws {
        do {
            var arguments = try Arguments(json)
            for group in [
                Self.ofViews, Self.ofContainers, Self.ofPresentations, Self.ofWindows, Self.ofArchives, Self.ofHosts,
                Self.ofCaches, Self.ofContents,
            ] {
                guard let operation = try group(&arguments) else { continue }
                try arguments.finish()
                self = operation
                return
            }
            throw CaseProblem("there is no such operation")
        } catch {
            throw CaseProblem("\(json): \(error)")
        }
    }

    static func list(_ json: JSON) throws -> [Operation] {
        try json.list().map(Operation.init)
    }
}
