/// The place of a ``ListController``'s rows, which it brings in and out in its layout passes.
///
/// By default it is the controller's view. A controller with a ``ViewController/loadView()`` or an archive of its own puts
/// one anywhere in its tree; a second one in the same tree stays empty. Other subviews may lie in it beside the rows.
public final class ListView: View {
    /// The rows in it, by their number.
    ///
    /// Kept here and not by the controller, so that they go with the view.
    var rows: [Int: View] = [:]

    /// Brings the rows in and out, then divides the budget among them as every view does.
    public override func layoutSubviews() {
        let arrival = (nearestController as? ListController)?.placeRows(in: self) ?? []
        super.layoutSubviews()
        for row in arrival {
            // The end of an earlier one's transition may have taken it out again.
            if row.view.superview === self, window != nil {
                row.view.layOut()
                if let window = row.view.window { row.view.display(in: window) }
            }
            for controller in row.controllers { controller.endMove(isServing: window != nil) }
        }
    }
}
