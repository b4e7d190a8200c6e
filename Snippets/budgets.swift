// A window's memory, divided among a search service's parts.
import ResourceManager

final class IndexView: View {}

final class PagesView: View {
    let pages = ResourceCache<String, [UInt8]>("pages")
}

final class PagesController: ViewController {
    override func loadView() { view = PagesView() }

    override func viewDidLayoutSubviews() {
        (viewIfLoaded as? PagesView)?.pages.limit = viewIfLoaded?.budget.bytes
    }
}

final class ServiceController: ViewController {
    let pages: PagesController

    override init(host: ControllerHost) {
        pages = PagesController(host: host)
        super.init(host: host)
        addChild(pages)
        pages.didMove(toParent: self)
    }

    override func loadView() {
        let index = IndexView()
        index.share = BudgetShare(bytes: .init(minimum: 64 << 20, weight: 3))
        pages.view.share = BudgetShare(bytes: .init(maximum: 512 << 20))
        view = View()
        view.reserve = Budget(bytes: 16 << 20)
        view.addSubview(index)
        view.addSubview(pages.view)
    }
}

let host = ControllerHost("search")
let window = Window(host: host)
window.rootViewController = ServiceController(host: host)
window.makeVisible()
window.resize(to: Budget(bytes: 1 << 30, slots: 64, threads: 4))

final class LaneView: View {
    override func layoutSubviews() {
        for (lane, subview) in subviews.enumerated() {
            subview.budget = Budget(bytes: budget.bytes / subviews.count, threads: lane < budget.threads ? 1 : 0)
        }
    }
}

// The same demand for each resource.
func equalShare(weight: Double) -> BudgetShare {
    let demand = BudgetShare.Demand(weight: weight)
    return BudgetShare(bytes: demand, slots: demand, threads: demand)
}

func lines(about budget: Budget) -> [String] {
    Budget.Resource.allCases.map { resource in "\(resource): \(budget[resource])" }
}
