/// What is read of a scope when something is to be decided about it: the kernel's files, or a recording of them.
package protocol PressureSource {
    /// The stalls; `nil` where PSI cannot be read.
    ///
    /// - Throws: ``KernelError``: the scope is gone.
    func stalls() throws(KernelError) -> PressureStall?
    /// How often the limits were met; `nil` where that is not counted.
    ///
    /// - Throws: ``KernelError``: the scope is gone.
    func limitEvents() throws(KernelError) -> MemoryEvents?
    /// What is left to the tightest limit; `nil` where there is none, or it cannot be told.
    func headroom() -> Headroom?
    /// The counts of reclaim; `nil` where they cannot be told.
    func reclaim() -> ReclaimCounters?
}
