/// Which controllers receive a memory warning.
public enum WarningDelivery: Sendable, Hashable {
    /// Every controller that is alive, whether its view is loaded or not, on window or not.
    case all
    /// Only those whose view is not on window when their turn comes.
    case offWindowOnly
}
