import ResourceManager

extension Operation {
    static func ofArchives(_ arguments: inout Arguments) throws -> Operation? {
        switch arguments.operation {
        case "bundle":
            let bundle = try ArchiveBundle(arguments.fields())
            return Operation { $0.open(bundle) }
        case "instantiateInitial":
            let (storyboard, name) = (try arguments.text(), try arguments.text())
            return Operation { $0.instantiateInitial(of: storyboard, as: name) }
        case "instantiate":
            let (storyboard, scene) = (try arguments.text(), try arguments.text())
            let name = try arguments.text()
            return Operation { runner in
                runner.naming(name) {
                    _ = runner.host.storyboard(named: storyboard)?.instantiate(withIdentifier: scene)
                }
            }
        case "performSegue":
            let (source, segue, name) = (try arguments.text(), try arguments.text(), try arguments.text())
            return Operation { runner in
                let source = try runner.controller(source)
                runner.naming(name) { source.performSegue(withIdentifier: segue) }
            }
        case "triggerSegue":
            let (source, segue, name) = (try arguments.text(), try arguments.text(), try arguments.text())
            return Operation { runner in
                let source = try runner.controller(source)
                runner.naming(name) { source.triggerSegue(withIdentifier: segue) }
            }
        default:
            return nil
        }
    }
}
