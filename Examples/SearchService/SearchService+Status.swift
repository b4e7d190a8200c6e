import ResourceManager

extension SearchService {
    /// The controllers, one line each: whether each is shown or at least loaded, and the bytes that it holds.
    var status: String {
        let environment = window.environment
        let head = "\(environment.mode) mode, level \(host.level), \(environment.memoryClass) memory"
        let tree = window.rootViewController.map { lines(for: $0, indent: "") } ?? []
        return ([head] + tree + ["releasable \(host.releasableBytes >> 10) KiB"]).joined(separator: "\n")
    }

    private func lines(for controller: ViewController, indent: String) -> [String] {
        var words = [controller.title ?? controller.className]
        if let described = controller as? any Described, !described.detail.isEmpty { words.append(described.detail) }
        let view = controller.viewIfLoaded
        words.append(view == nil ? "not loaded" : view?.window == nil ? "loaded" : "shown")
        // A container holds only the controllers in it.
        if let view, controller.children.isEmpty { words.append("\(view.totalCost >> 10) KiB") }
        let below = controller.children + [controller.presentedViewController].compactMap(\.self)
        return [indent + words.joined(separator: ", ")] + below.flatMap { lines(for: $0, indent: indent + "  ") }
    }
}
