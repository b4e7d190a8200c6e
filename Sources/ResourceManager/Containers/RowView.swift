/// A row of a ``ListController`` that can be used again for another item.
///
/// Subclass it to hold what showing one item needs.
open class RowView: View {
    /// Which rows it can stand in for: those of the same kind.
    public final let kind: String

    /// An empty row of a kind.
    public init(kind: String) {
        self.kind = kind
        super.init()
    }

    /// A row from an archive, which has its ``kind`` from there.
    public override init(coder: Coder) {
        kind = coder["kind"] ?? ""
        super.init(coder: coder)
    }

    /// The row is about to be used for another item: let go of what belongs to the last one.
    ///
    /// Called by ``ListController/dequeueReusableRow(_:)``, not when the row goes into the pool.
    open func prepareForReuse() {}
}
