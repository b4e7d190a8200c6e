import ResourceManager

extension Operation {
    static func ofWindows(_ arguments: inout Arguments) throws -> Operation? {
        switch arguments.operation {
        case "window":
            let name = try arguments.text()
            return Operation { runner in
                let window = Window(host: runner.host)
                // Not the machine's memory, which another process may change.
                window.resize(to: Budget(bytes: 1 << 20))
                runner.hold(window, as: name)
            }
        case "root":
            let (name, root) = (try arguments.text(), try arguments.textOrNull())
            return Operation { try $0.window(name).rootViewController = root.map($0.controller) }
        case "show":
            let name = try arguments.text()
            return Operation { try $0.window(name).makeVisible() }
        case "addViewToWindow":
            let (name, other) = (try arguments.text(), try arguments.text())
            return Operation { runner in
                let window = try runner.window(name)
                if let view = try runner.controller(other).view { window.addSubview(view) }
            }
        case "resize":
            let name = try arguments.text()
            return Operation { runner in
                let window = try runner.window(name)
                var budget = window.budget
                // A size that the window has never had before.
                budget.bytes += 1 << 20
                window.resize(to: budget)
            }
        case "environment":
            let (name, mode) = (try arguments.text(), try arguments.text())
            return Operation { try $0.window(name).changeMode(to: Environment.Mode(rawValue: mode)) }
        default:
            return nil
        }
    }

    static func ofPresentations(_ arguments: inout Arguments) throws -> Operation? {
        switch arguments.operation {
        case "present":
            let (name, other) = (try arguments.text(), try arguments.text())
            let style: PresentationStyle = try arguments.ifGiven { try $0.choice() } ?? .fullScreen
            return Operation { runner in
                let presenter = try runner.controller(name)
                try presenter.present(runner.controller(other), style: style) {
                    presenter.enterIfTraced("presentCompletion")
                }
            }
        case "dismiss":
            let name = try arguments.text()
            return Operation { runner in
                let controller = try runner.controller(name)
                // The completion is recorded for the presenter, whichever of the two controllers was told to dismiss.
                let isPresenting = controller.presentedViewController != nil
                let presenter = isPresenting ? controller : controller.presentingViewController
                controller.dismiss { presenter?.enterIfTraced("dismissCompletion") }
            }
        default:
            return nil
        }
    }
}
