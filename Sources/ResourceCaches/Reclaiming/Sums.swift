extension FixedWidthInteger {
    /// The sum, or the largest number if it is more: costs are what callers say, and `.max` is one of them.
    ///
    /// - Parameter other: Not negative.
    /// - Returns: The sum.
    package func addingSaturated(_ other: Self) -> Self {
        let (sum, isTooMuch) = addingReportingOverflow(other)
        return isTooMuch ? .max : sum
    }
}
