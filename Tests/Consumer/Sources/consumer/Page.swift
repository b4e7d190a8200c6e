import ResourceManager
import WebFramework

typealias Environment = ResourceManager.Environment

final class Page: ResourceManager.View {
    var environment: Environment?
}
