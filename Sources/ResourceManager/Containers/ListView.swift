/// The view that holds a ``ListController``'s rows; its layout passes bring them in and out.
///
/// By default it is the controller's view. A controller with a ``ViewController/loadView()`` or an archive of its own
/// may put it anywhere in its tree; a second one in the same tree stays empty. It may have other subviews beside the
/// rows.
public final class ListView: View {
    /// The rows in it, by their number.
    ///
    /// The view keeps them, so that they are released together with it.
    var rows: [Int: View] = [:]

    /// Brings rows in and out, then divides the budget among them as every view does.
    public override func layoutSubviews() {
        let arrival = (nearestController as? ListController)?.placeRows(in: self) ?? []
        super.layoutSubviews()
        for row in arrival {
            // The end of an earlier row's transition may have taken this row out again.
            if row.view.superview === self, window != nil {
                row.view.layOut()
                if let window = row.view.window { row.view.display(in: window) }
            }
            for controller in row.controllers { controller.endMove(isServing: row.view.window != nil) }
        }
    }
}
