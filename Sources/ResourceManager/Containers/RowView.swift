/// A row of a ``ListController`` that can be reused for another item.
///
/// Subclass it to hold the state that showing one item needs.
open class RowView: View {
    /// Rows of the same kind can replace each other.
    public final let kind: String
    /// Whether the row is in its list's pool.
    final var isPooled = false

    /// An empty row of this kind.
    public init(kind: String) {
        self.kind = kind
        super.init()
    }

    /// A row from an archive, which provides its ``kind``.
    ///
    /// Unlike ``View`` and ``ListView``, this class has to be registered with the host's ``ClassRegistry``.
    public override init(coder: Coder) {
        kind = coder["kind"] ?? ""
        super.init(coder: coder)
    }

    /// The row is about to be used for another item: drop the state of the last one.
    ///
    /// Called by ``ListController/dequeueReusableRow(_:)``, not when the row goes into the pool.
    open func prepareForReuse() {}
}
