import ResourceManager
import TestSupport
import Testing

@Suite(.onTwoThreads)
struct BackgroundLoadTests {
    let stage = Stage()

    private struct NotThere: Error {}

    @Test("the result of a load that viewDidLoad starts is delivered in the host's isolation (row 62)")
    func result() async {
        var received: [String] = []
        let a = stage.controller("A")
        a.on["viewDidLoad"] = { controller in
            controller.load {
                "terms"
            } then: {
                received.append((try? $0.get()) ?? "failed")
            }
        }
        a.loadViewIfNeeded()
        #expect(received.isEmpty)
        await stage.host.finishLoads()
        #expect(received == ["terms"])
    }

    @Test("the work's error is delivered as well")
    func failure() async {
        var failure: (any Error)?
        let a = stage.controller("A")
        a.load { () throws -> Int in
            throw NotThere()
        } then: { result in
            if case .failure(let error) = result { failure = error }
        }
        await stage.host.finishLoads()
        #expect(failure is NotThere)
    }

    @Test(
        "when the view is released or replaced, its loads are cancelled without a callback",
        arguments: ["unload", "nil", "another", "release"]
    )
    func cancelled(by means: String) async {
        let started = EventStream<String>()
        var received = 0
        var a: RecordingController? = stage.controller("A")
        a?.on["viewDidLoad"] = { controller in
            controller.load {
                // Ends only when it is cancelled.
                await withTaskCancellationHandler {
                    await started.next()
                } onCancel: {
                    started.send("cancelled")
                }
            } then: { _ in
                received += 1
            }
        }
        a?.loadViewIfNeeded()
        switch means {
        case "unload": stage.host.simulateMemoryWarning()
        case "nil": a?.view = nil
        case "another": a?.view = View()
        default: a = nil
        }
        await stage.host.finishLoads()
        #expect(received == 0)
        #expect((a?.isViewLoaded ?? false) == (means == "another"))
    }

    @Test("a view that is put around the loaded one leaves its loads under way (2.12)")
    func wrapped() async {
        var received = 0
        let a = stage.controller("A")
        a.loadViewIfNeeded()
        a.load {
            1
        } then: {
            received += (try? $0.get()) ?? 0
        }
        let around = View()
        if let view = a.viewIfLoaded { around.addSubview(view) }
        a.view = around
        await stage.host.finishLoads()
        #expect(received == 1)
    }

    @Test("loads are delivered in the order in which they finish, separately for each controller")
    func several() async {
        var received: [Int] = []
        let controllers = (0..<10).map { stage.controller("\($0)") }
        for (index, controller) in controllers.enumerated() {
            controller.load {
                index
            } then: {
                received.append((try? $0.get()) ?? -1)
            }
        }
        controllers[3].loadViewIfNeeded()
        controllers[3].view = nil
        await stage.host.finishLoads()
        #expect(received.sorted() == [0, 1, 2, 4, 5, 6, 7, 8, 9])
    }

    @Test("saves are written one after the other, in order, and the caller can wait for them (3.23)")
    func saves() async {
        let written = Locked<[Int]>([])
        let a = stage.controller("A")
        a.on["viewWillDisappear"] = { controller in
            for index in 0..<20 {
                controller.host.save {
                    await Task.yield()
                    written.withLock { $0.append(index) }
                }
            }
        }
        let window = stage.window(showing: a)
        window.hide()
        await stage.host.finishSaves()
        #expect(written.withLock { $0 } == Array(0..<20))
    }

    @Test("a save that a save adds, while the caller waits, is waited for too (3.23)")
    @MainActor
    func savesOfSaves() async {
        @MainActor final class Service {
            let host = ControllerHost("saves")
        }
        let service = Service()
        let written = Locked<[String]>([])
        service.host.save {
            await MainActor.run {
                service.host.save {
                    await Task.yield()
                    written.withLock { $0.append("second") }
                }
            }
            written.withLock { $0.append("first") }
        }
        await service.host.finishSaves()
        #expect(written.withLock { $0 } == ["first", "second"])
    }
}
