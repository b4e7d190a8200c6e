/// The longest deadline that a client may ask for; the daemon shortens a longer one.
package enum LongestDeadline {
    package static let milliseconds: UInt32 = 60_000
}
