import ResourceManager
import Testing

struct ResourceFaultTests {
    @Test(
        "a fault's description is its code",
        arguments: [
            (ResourceFault.viewAccessedDuringLoad, "viewAccessedDuringLoad"),
            (.loadViewDidNotAssignView, "loadViewDidNotAssignView"),
            (.viewAlreadyOwned, "viewAlreadyOwned"),
            (.hierarchyInconsistency, "hierarchyInconsistency"),
            (.unbalancedAppearanceTransition, "unbalancedAppearanceTransition"),
        ]
    )
    func code(fault: ResourceFault, code: String) {
        #expect(fault.description == code)
    }

    @Test("a logged fault is one line that says where and what to do")
    func logged() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardErrorContent]) {
            ViewController(host: ControllerHost("h")).endAppearanceTransition()
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(
            text.contains(
                """
                ResourceManager: unbalancedAppearanceTransition in ViewController: endAppearanceTransition() was called \
                without a transition under way; call beginAppearanceTransition(_:) first\n
                """
            )
        )
    }

    @Test("a trapped fault ends the process")
    func trapped() async {
        await #expect(processExitsWith: .failure) {
            let host = ControllerHost("h")
            host.faultHandling = .trap
            ViewController(host: host).endAppearanceTransition()
        }
    }
}
