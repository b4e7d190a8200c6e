// Values that are loaded at their first read, dropped at a memory warning, and loaded again at the next read.
import ResourceManager

func readSynonyms() -> [String: String] { ["RAM": "memory"] }
func fetchRates() async throws -> [String: Double] { ["EUR": 1] }

let synonyms = Reloadable("synonyms", cost: { $0.count * 64 }, load: { readSynonyms() })

func meaning(of word: String) -> String? {
    synonyms.value()[word]  // loads them, the first time and after a warning
}

let rates = AsyncReloadable("rates") { try await fetchRates() }

func inEuro(_ amount: Double) async throws -> Double? {
    try await rates.value()["EUR"].map { amount / $0 }
}

final class Model: Sendable {
    let weights: [String: Double]
    init(weights: [String: Double]) { self.weights = weights }
}

final class Recommender: Sendable {
    private let model: AsyncReloadable<Model>

    init(loadModel: @escaping @Sendable () async throws -> Model) {
        model = AsyncReloadable("model", cost: { $0.weights.count * 64 }, load: loadModel)
    }

    func weight(of item: String) async throws -> Double? {
        try await model.value().weights[item]
    }
}

let recommender = Recommender { Model(weights: ["pressure": 1]) }
print(try await recommender.weight(of: "pressure") ?? 0)

print(meaning(of: "RAM") ?? "", try await inEuro(7) ?? 0, synonyms.isLoaded)
ControllerHost("search").simulateMemoryWarning()
print(synonyms.isLoaded, rates.isLoaded)
print(meaning(of: "RAM") ?? "", try await inEuro(7) ?? 0)
