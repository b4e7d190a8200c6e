/// Whether the object of a record still exists.
package enum RecordState: UInt8, CaseIterable, Sendable {
    /// It is gone: the scope is no longer watched, or the host no longer registered. No more records follow.
    case gone = 0
    /// It exists: the scope is watched, or the host registered.
    case present = 1
}
