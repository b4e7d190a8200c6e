extension FixedWidthInteger {
    /// The sum, clamped to the largest number: callers choose costs, and may choose `.max`.
    ///
    /// - Parameter other: Not negative.
    /// - Returns: The sum.
    package func addingSaturated(_ other: Self) -> Self {
        let (sum, isTooMuch) = addingReportingOverflow(other)
        return isTooMuch ? .max : sum
    }
}
