import MemwarnProgram

extension Failure {
    /// Turns whatever goes wrong in `body` into a failure.
    static func wrapping<Result>(_ body: () throws -> Result) throws(Failure) -> Result {
        do {
            return try body()
        } catch let failure as Failure {
            throw failure
        } catch {
            throw .software("\(error)")
        }
    }
}
