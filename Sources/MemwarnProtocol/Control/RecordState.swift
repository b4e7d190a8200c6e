/// Whether what a record is about still exists.
package enum RecordState: UInt8, CaseIterable, Sendable {
    /// It has just gone: the scope is no longer watched, the host no longer registered. No more records follow.
    case gone = 0
    /// It is there: the scope is watched, the host registered.
    case present = 1
}
