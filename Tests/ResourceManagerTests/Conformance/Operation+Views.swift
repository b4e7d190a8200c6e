import ResourceManager

extension Operation {
    static func ofViews(_ arguments: inout Arguments) throws -> Operation? {
        switch arguments.operation {
        case "vc":
            let name = try arguments.text()
            let options = try ControllerOptions(arguments.fields())
            return Operation { _ = TracedController(name, options, $0) }
        case "view":
            let name = try arguments.text()
            return Operation { _ = try $0.controller(name).view }
        case "loadViewIfNeeded":
            let name = try arguments.text()
            return Operation { try $0.controller(name).loadViewIfNeeded() }
        case "isViewLoaded":
            let name = try arguments.text()
            return Operation { _ = try $0.controller(name).isViewLoaded }
        case "viewIfLoaded":
            let name = try arguments.text()
            return Operation { _ = try $0.controller(name).viewIfLoaded }
        case "setView":
            let (name, other) = (try arguments.text(), try arguments.textOrNull())
            return Operation { runner in
                let controller = try runner.controller(name)
                switch other {
                case nil: controller.view = nil
                case "new"?: controller.view = TracedView()
                case let other?: controller.view = try runner.controller(other).view
                }
            }
        case "setNeedsLayout":
            let name = try arguments.text()
            return Operation { try $0.controller(name).view?.setNeedsLayout() }
        case "layoutIfNeeded":
            let name = try arguments.text()
            return Operation { try $0.controller(name).view?.layoutIfNeeded() }
        case "release":
            let name = try arguments.text()
            return Operation { try $0.release(name) }
        case "chain":
            let name = try arguments.text()
            return Operation { runner in
                for responder in try runner.controller(name).view?.chain ?? [] { runner.recordLink(responder) }
            }
        default:
            return nil
        }
    }
}
