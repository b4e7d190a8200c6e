import ResourceManager

extension Operation {
    static func ofContainers(_ arguments: inout Arguments) throws -> Operation? {
        switch arguments.operation {
        case "nav":
            let (name, children) = (try arguments.text(), try arguments.texts())
            return Operation { runner in
                let navigation = NavigationController(host: runner.host)
                runner.hold(navigation, as: name)
                navigation.setViewControllers(try children.map(runner.controller))
            }
        case "tab":
            let (name, children) = (try arguments.text(), try arguments.texts())
            return Operation { runner in
                let tab = TabController(host: runner.host)
                runner.hold(tab, as: name)
                tab.setViewControllers(try children.map(runner.controller))
            }
        case "push":
            let (name, pushed) = (try arguments.text(), try arguments.text())
            return Operation { try $0.navigation(name).push($0.controller(pushed)) }
        case "pop":
            let name = try arguments.text()
            return Operation { try $0.navigation(name).pop() }
        case "popToRoot":
            let name = try arguments.text()
            return Operation { try $0.navigation(name).popToRoot() }
        case "setStack":
            let (name, stack) = (try arguments.text(), try arguments.texts())
            return Operation { try $0.navigation(name).setViewControllers(stack.map($0.controller)) }
        case "select":
            let (name, index) = (try arguments.text(), try arguments.number())
            return Operation { runner in
                let tab = try runner.find(name, TabController.self)
                guard tab.viewControllers.indices.contains(index) else {
                    throw CaseProblem("\(name) has no child \(index)")
                }
                tab.selectedIndex = index
            }
        default:
            return try ofCustomContainers(&arguments)
        }
    }

    private static func ofCustomContainers(_ arguments: inout Arguments) throws -> Operation? {
        switch arguments.operation {
        case "addChild":
            let (parent, child) = (try arguments.text(), try arguments.text())
            return Operation { try $0.controller(parent).addChild($0.controller(child)) }
        case "addChildView":
            let (parent, child) = (try arguments.text(), try arguments.text())
            return Operation { runner in
                let (parent, child) = (try runner.controller(parent), try runner.controller(child))
                if let place = parent.view, let view = child.view { place.addSubview(view) }
            }
        case "removeChildView":
            let child = try arguments.text()
            return Operation { try $0.controller(child).viewIfLoaded?.removeFromSuperview() }
        case "removeFromParent":
            let child = try arguments.text()
            return Operation { try $0.controller(child).removeFromParent() }
        case "willMove":
            let (child, parent) = (try arguments.text(), try arguments.textOrNull())
            return Operation { try $0.controller(child).willMove(toParent: parent.map($0.controller)) }
        case "didMove":
            let (child, parent) = (try arguments.text(), try arguments.textOrNull())
            return Operation { try $0.controller(child).didMove(toParent: parent.map($0.controller)) }
        case "transition":
            let (parent, old, new) = (try arguments.text(), try arguments.text(), try arguments.text())
            return Operation { runner in
                let parent = try runner.controller(parent)
                try parent.transition(from: runner.controller(old), to: runner.controller(new)) {
                    parent.enterIfTraced("transitionCompletion")
                }
            }
        case "begin":
            let (name, isAppearing) = (try arguments.text(), try arguments.flag())
            return Operation { try $0.controller(name).beginAppearanceTransition(isAppearing) }
        case "end":
            let name = try arguments.text()
            return Operation { try $0.controller(name).endAppearanceTransition() }
        default:
            return nil
        }
    }
}
