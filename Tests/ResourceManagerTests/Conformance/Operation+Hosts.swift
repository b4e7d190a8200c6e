import ResourceManager

extension Operation {
    static func ofHosts(_ arguments: inout Arguments) throws -> Operation? {
        switch arguments.operation {
        case "warn", "simulate":
            return Operation { $0.host.simulateMemoryWarning() }
        case "deliver":
            let name = try arguments.text()
            return Operation { try $0.controller(name).didReceiveMemoryWarning() }
        case "pressure":
            let level = try arguments.next { json in
                guard let level = PressureLevel(try json.text()) else { throw CaseProblem("\(json) is no level") }
                return level
            }
            return Operation { runner in
                runner.host.deliver(
                    MemoryWarning(level: level, reason: PressureReason(.someStall), isSimulated: false)
                )
            }
        case "delegate":
            return Operation { $0.appointDelegate() }
        case "observer":
            let name = try arguments.text()
            return Operation { runner in
                let log = runner.log
                let registration = runner.host.onMemoryWarning { _ in
                    log.record(Event(name, "memoryWarningNotification"))
                }
                runner.hold(registration, as: name)
            }
        case "handler":
            let name = try arguments.text()
            return Operation { runner in
                let log = runner.log
                let registration = runner.host.onLevelChange { log.record(Event(name, "pressure", "\($0)")) }
                runner.hold(registration, as: name)
            }
        default:
            return nil
        }
    }
}
