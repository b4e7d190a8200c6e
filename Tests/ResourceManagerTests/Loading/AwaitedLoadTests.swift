import ResourceManager
import TestSupport
import Testing

@Suite(.onTwoThreads)
struct AwaitedLoadTests {
    let stage = Stage()

    private struct NotThere: Error {}

    /// Work that ends only when its task is cancelled.
    private static let endless: @Sendable () async throws -> Int = {
        let ended = EventStream<Int>()
        return await withTaskCancellationHandler {
            await ended.next() ?? 0
        } onCancel: {
            ended.send(1)
        }
    }

    private func failure(of body: () async throws -> Void) async -> (any Error)? {
        do { try await body() } catch { return error }
        return nil
    }

    @Test("an awaited load returns the work's result, without a run")
    func value() async throws {
        let a = stage.controller("A")
        a.loadViewIfNeeded()
        #expect(try await a.load { 42 } == 42)
        let error = await failure { _ = try await a.load { () throws -> Int in throw NotThere() } }
        #expect(error is NotThere)
        guard case .loaded = a.loadState else { return #expect(Bool(false), "\(a.loadState)") }
    }

    @Test("an awaited load ends when the view is released meanwhile", arguments: ["unload", "nil"])
    func released(by means: String) async {
        let a = stage.controller("A")
        a.loadViewIfNeeded()
        // This load delivers its result to the host after the load below has begun.
        a.load {
            1
        } then: { [unowned a] _ in
            if means == "nil" { a.view = nil } else { a.host.simulateMemoryWarning() }
        }
        let error = await failure { _ = try await a.load(Self.endless) }
        #expect(error as? ViewLoadError == .viewReleased)
    }

    @Test("an awaited load and its work end when the caller's task is cancelled")
    func cancelled() async {
        let a = stage.controller("A")
        a.loadViewIfNeeded()
        a.load {
            1
        } then: { _ in
            withUnsafeCurrentTask { $0?.cancel() }
        }
        let error = await failure { _ = try await a.load(Self.endless) }
        #expect(error is CancellationError)
        guard case .loaded = a.loadState else { return #expect(Bool(false), "\(a.loadState)") }
    }

    @Test("a cancelled load whose work goes on keeps neither a wait for the view nor one for all loads")
    @MainActor
    func cancelledWorkThatGoesOn() async throws {
        let a = ViewController(host: ControllerHost("test"))
        a.loadViewIfNeeded()
        let (begun, end) = (EventStream<Void>(), EventStream<Void>())
        let load = Task {
            try await a.load {
                begun.send(())
                // It does not listen to its cancellation.
                await Task { await end.next() }.value
                return 1
            }
        }
        _ = await begun.next()
        let ready = Task { _ = try await a.readyView() }
        let finished = Task { await a.host.finishLoads() }
        // Both wait then: the main actor runs its tasks in order.
        await Task {}.value
        load.cancel()
        try await ready.value
        await finished.value
        end.send(())
        #expect(await load.result.isFailure)
    }

    @Test("a view is ready when the work of viewDidLoad is done")
    func ready() async throws {
        var terms = 0
        let a = stage.controller("A")
        a.on["viewDidLoad"] = { controller in
            controller.load {
                1
            } then: { _ in
                terms += 1
                controller.load {
                    2
                } then: { _ in
                    terms += 1
                }
            }
        }
        guard case .unloaded = a.loadState else { return #expect(Bool(false), "\(a.loadState)") }
        let view = try await a.readyView()
        #expect(view === a.viewIfLoaded)
        #expect(terms == 2)
    }

    @Test("a wait for the view ends with the view that was put around it meanwhile (2.19)")
    func wrappedMeanwhile() async throws {
        let around = View()
        let a = stage.controller("A")
        a.on["viewDidLoad"] = { controller in
            controller.load {
                1
            } then: { [unowned controller] _ in
                if let view = controller.viewIfLoaded { around.addSubview(view) }
                controller.view = around
            }
        }
        let view = try await a.readyView()
        #expect(view === around)
    }

    @Test("what a failed load refers to may use the loads in its deinit")
    func failedLoadsDeinit() async {
        let a = stage.controller("A")
        a.loadViewIfNeeded()
        var state: LoadState?
        var last: LastReference? = LastReference { [unowned a] in
            a.retryLoads()
            state = a.loadState
        }
        a.load { () throws -> Int in
            throw NotThere()
        } then: { [last] _ in
            withExtendedLifetime(last) {}
        }
        last = nil
        await stage.host.finishLoads()
        a.view = nil
        guard case .unloaded = state else { return #expect(Bool(false), "\(String(describing: state))") }
    }

    @Test("an error is kept as state until the work is started again")
    func failed() async throws {
        let attempts = Locked(0)
        var received: [Int?] = []
        let a = stage.controller("A")
        a.on["viewDidLoad"] = { controller in
            controller.load { () throws -> Int in
                let attempt = attempts.withLock { attempts in
                    attempts += 1
                    return attempts
                }
                if attempt == 1 { throw NotThere() }
                return attempt
            } then: {
                received.append(try? $0.get())
            }
        }
        for _ in 0..<2 {
            let error = await failure { _ = try await a.readyView() }
            #expect(error is NotThere)
        }
        guard case .failed(let error) = a.loadState else { return #expect(Bool(false), "\(a.loadState)") }
        #expect(error is NotThere)
        a.retryLoads()
        _ = try await a.readyView()
        #expect(received == [nil, 2])
    }

    @Test("a view that a warning unloads during a wait ends the wait, and can be waited for again")
    func viewReleased() async throws {
        var isFirst = true
        let a = stage.controller("A")
        a.on["viewDidLoad"] = { controller in
            guard isFirst else { return }
            isFirst = false
            controller.load(Self.endless) { _ in }
            controller.load {
                1
            } then: { [unowned controller] _ in
                controller.host.simulateMemoryWarning()
            }
        }
        let error = await failure { _ = try await a.readyView() }
        #expect(error as? ViewLoadError == .viewReleased)
        _ = try await a.readyView()
    }

    @Test("loads can be cancelled, and their result says so")
    func cancelLoads() async {
        var result: Result<Int, any Error>?
        let a = stage.controller("A")
        a.loadViewIfNeeded()
        a.load(Self.endless) { result = $0 }
        a.cancelLoads()
        guard case .failure(let error) = result else { return #expect(Bool(false), "not called") }
        #expect(error is CancellationError)
        guard case .failed = a.loadState else { return #expect(Bool(false), "\(a.loadState)") }
        a.view = nil
        guard case .unloaded = a.loadState else { return #expect(Bool(false), "\(a.loadState)") }
        await stage.host.finishLoads()
    }

    @Test("without a view, waiting for the view fails at once")
    func noView() async {
        let a = stage.controller("A", loadView: .assignsNothing)
        let error = await failure { _ = try await a.readyView() }
        #expect(error as? ViewLoadError == .noView)
    }
}

extension Result {
    fileprivate var isFailure: Bool { if case .failure = self { true } else { false } }
}

/// Calls a closure in its deinit.
private final class LastReference {
    private let end: () -> Void

    init(_ end: @escaping () -> Void) {
        self.end = end
    }

    deinit { end() }
}
