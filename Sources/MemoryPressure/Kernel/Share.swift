/// A part of a whole, in hundredths of a percent: the part of a window that was lost to stalls, the part of a limit
/// that is left.
///
/// An integer, so that a threshold compares exactly and passes over the wire unchanged.
public struct Share: Hashable, Comparable, Sendable {
    /// Hundredths of a percent: 10 000 is the whole.
    public var basisPoints: UInt32

    /// Creates a share in hundredths of a percent.
    public init(basisPoints: UInt32) {
        self.basisPoints = basisPoints
    }

    /// `part` of `whole`, rounded to the nearest hundredth of a percent and at most the whole; zero if `whole` is zero.
    public init(_ part: UInt64, of whole: UInt64) {
        guard whole > 0 else {
            self.init(basisPoints: 0)
            return
        }
        let ratio = Double(min(part, whole)) / Double(whole)
        // Converts towards zero; `rounded()` is a call of libm for processors without SSE 4.1.
        self.init(basisPoints: UInt32(ratio * 10_000 + 0.5))
    }

    /// Creates a share in percent.
    public static func percent(_ percent: Double) -> Self {
        Self(basisPoints: UInt32((percent * 100).rounded()))
    }

    /// Nothing.
    public static let zero = Self(basisPoints: 0)

    /// The share in percent.
    public var percent: Double { Double(basisPoints) / 100 }

    /// The point at which a level falls again that rises with less than this left: a quarter above it, so that the
    /// level does not oscillate.
    package var headroomFallPoint: Self { Self(basisPoints: basisPoints + basisPoints / 4) }

    /// Whether `left` is the smaller part.
    public static func < (left: Self, right: Self) -> Bool {
        left.basisPoints < right.basisPoints
    }
}

extension Share: CustomStringConvertible {
    /// In percent with at most two decimals: `7.5%`.
    public var description: String { digits + "%" }

    /// The number in ``description``: `7.5`.
    package var digits: String {
        let whole = basisPoints / 100
        let hundredths = basisPoints % 100
        if hundredths == 0 { return "\(whole)" }
        if hundredths % 10 == 0 { return "\(whole).\(hundredths / 10)" }
        return "\(whole).\(hundredths < 10 ? "0" : "")\(hundredths)"
    }
}
