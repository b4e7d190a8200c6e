import ObjectCache

extension Operation {
    static func ofCaches(_ arguments: inout Arguments) throws -> Operation? {
        switch arguments.operation {
        case "cache":
            let name = try arguments.text()
            var fields = try arguments.fields()
            let countLimit = try fields.take("countLimit") { try $0.number() } ?? 0
            let totalCostLimit = try fields.take("totalCostLimit") { try $0.number() } ?? 0
            let evictsDiscarded = try fields.take("evictsDiscarded") { try $0.flag() } ?? true
            let reactsToWarning = try fields.take("reactsToWarning") { try $0.flag() } ?? true
            try fields.finish()
            return Operation { runner in
                let traced = runner.reclaimer.use { TracedCache(name, log: runner.log) }
                traced.cache.countLimit = countLimit
                traced.cache.totalCostLimit = totalCostLimit
                traced.cache.evictsObjectsWithDiscardedContent = evictsDiscarded
                traced.cache.reactsToMemoryWarnings = reactsToWarning
                runner.hold(traced, as: name)
            }
        case "cacheSet":
            let (name, key) = (try arguments.text(), try arguments.text())
            let cost = try arguments.ifGiven { try $0.number() } ?? 0
            let content = try arguments.ifGiven { try $0.text() }
            return Operation { runner in
                try runner.cache(name).set(key, cost: cost, content.map { try runner.content($0).object })
            }
        case "cacheGet":
            let (name, key) = (try arguments.text(), try arguments.text())
            return Operation { try $0.cache(name).get(key) }
        case "cacheRemove":
            let (name, key) = (try arguments.text(), try arguments.text())
            return Operation { try $0.cache(name).cache.removeObject(forKey: key) }
        case "cacheRemoveAll":
            let name = try arguments.text()
            return Operation { try $0.cache(name).cache.removeAllObjects() }
        case "cacheLimit":
            let name = try arguments.text()
            let limit: CacheLimit = try arguments.next { try $0.choice() }
            let value = try arguments.number()
            return Operation { runner in
                let cache = try runner.cache(name).cache
                switch limit {
                case .countLimit: cache.countLimit = value
                case .totalCostLimit: cache.totalCostLimit = value
                }
            }
        default:
            return nil
        }
    }

    private enum CacheLimit: String {
        case countLimit
        case totalCostLimit
    }

    static func ofContents(_ arguments: inout Arguments) throws -> Operation? {
        switch arguments.operation {
        case "discardable":
            let name = try arguments.text()
            return Operation { $0.hold(TracedContent(name, log: $0.log), as: name) }
        case "beginAccess":
            let name = try arguments.text()
            return Operation { try $0.content(name).begin() }
        case "endAccess":
            let name = try arguments.text()
            return Operation { try $0.content(name).object.endContentAccess() }
        case "discard":
            let name = try arguments.text()
            return Operation { try $0.content(name).object.discardContentIfPossible() }
        case "isDiscarded":
            let name = try arguments.text()
            return Operation { try $0.content(name).recordIsDiscarded() }
        case "readBytes":
            let name = try arguments.text()
            return Operation { try $0.content(name).read() }
        default:
            return nil
        }
    }
}
