// Archives from a program's own data instead of files, and the problems of files.
import ResourceArchives
import ResourceManager

/// A storyboard with one scene, whose view is a nib, for tests and for services that have no files.
struct BuiltInArchives: ArchiveSource {
    func storyboard(named name: String) -> StoryboardArchive? {
        guard name == "Main" else { return nil }
        return StoryboardArchive(
            initialScene: "home",
            scenes: [
                "home": SceneArchive(
                    className: "HomeController",
                    view: SceneArchive.ViewSource.nib("Home"),
                    segues: ["details": SegueArchive(to: "details")]
                ),
                "details": SceneArchive(),
            ]
        )
    }

    func nib(named name: String) -> NibArchive? {
        guard name == "Home" else { return nil }
        let small = EnvironmentCondition(memoryClass: .small)
        let terms = ArchivedObject(
            id: "terms",
            className: "TermsView",
            properties: Properties(["precision": .integer(16)]),
            variants: [ArchiveVariant(when: small, properties: Properties(["precision": .integer(4)]))]
        )
        return NibArchive(
            view: ArchivedObject(subviews: [terms]),
            outlets: [ArchivedOutlet(name: "terms")],
            actions: [ArchivedAction(name: "rebuild", source: "terms", target: ArchivedAction.Target.owner)]
        )
    }
}

/// A type of the service's own in an archive: `"precision": 16`.
struct Precision: PropertyConvertible {
    var bits = 8

    init?(propertyValue: PropertyValue) {
        guard let bits = Int(propertyValue: propertyValue), 1...32 ~= bits else { return nil }
        self.bits = bits
    }

    var propertyValue: PropertyValue { .integer(bits) }
}

final class TermsView: View {
    let precision: Precision?

    override init(coder: Coder) {
        precision = coder["precision"]
        super.init(coder: coder)
    }
}

final class HomeController: ViewController {
    weak var terms: TermsView?

    override class var outlets: Outlets { super.outlets.adding("terms", \HomeController.terms) }
    override class var actions: Actions { super.actions.adding("rebuild", HomeController.rebuild) }

    func rebuild(_ command: Command) { terms?.setNeedsLayout() }
}

let host = ControllerHost("search")
host.archives = BuiltInArchives()
host.classes.register(TermsView.init(coder:))
host.classes.register(HomeController.init(coder:))
let main: Storyboard? = host.storyboard(named: "Main")
let home = main?.instantiateInitial()
print(home?.view.subviews.count ?? 0)

/// What `memwarnd archive check` does, in a test of the service.
func problems(inArchiveAt path: String) throws -> [ArchiveProblem] {
    let reading = try ArchiveReading(contentsOf: path)
    switch reading.content {
    case ArchiveReading.Content.storyboard(let storyboard)?: print("\(storyboard.scenes.count) scenes")
    case ArchiveReading.Content.nib(let nib)?: print("\(nib.outlets.count) outlets")
    case nil: print("cannot be used")
    }
    return reading.problems.filter { $0.severity == ArchiveProblem.Severity.error }
}

func storyboard(in folder: String) -> StoryboardArchive? {
    do {
        return try JSONArchives(folders: [folder]).storyboard(named: "Main")
    } catch {
        let error: ArchiveError = error
        print(error)
        return nil
    }
}
