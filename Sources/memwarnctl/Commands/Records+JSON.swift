import MemoryPressure
import MemwarnProtocol

// The daemon's records in JSON, where their words differ from the wire.

extension ScopeRecord {
    var json: JSONObject {
        var json = JSONObject(self)
        json.rename("sinceSeconds", to: "secondsAtLevel")
        json.rename("someTotalSeconds", to: "someStallSeconds")
        json.rename("fullTotalSeconds", to: "fullStallSeconds")
        json.rename("suppressed", to: "suppressedEvents")
        return json
    }
}

extension HostRecord {
    var json: JSONObject {
        var json = JSONObject(self)
        json["state"] = .text(state == .present ? "registered" : "gone")
        json["outcome"] = .text(outcomeName)
        json["allocator"] = allocator.name.map { .text($0) }
        json.rename("durationSeconds", to: "answerSeconds")
        return json
    }
}

extension RoundRecord {
    var json: JSONObject {
        var json = JSONObject(self)
        json["flags"] = nil
        json["simulated"] = .flag(options.contains(.simulated))
        json["repeated"] = .flag(options.contains(.repeated))
        json["answerWanted"] = .flag(options.contains(.answerWanted))
        // The limit belongs to the reason.
        json["limit"] = nil
        return json
    }
}

extension CommandRecord {
    var json: JSONObject {
        var json = JSONObject(self)
        json.rename("text", to: "answer")
        return json
    }
}
