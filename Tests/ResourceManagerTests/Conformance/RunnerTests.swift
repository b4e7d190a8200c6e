import TestSupport
import Testing

/// Tests of the runner itself: a runner that misses a difference would prove nothing.
struct RunnerTests {
    private static func line(
        alphabet: String = "core",
        given: String = "[]",
        when: String = "[]",
        expect: String = "[]",
        more: String = ""
    ) -> String {
        """
        {"id": "T", "policy": "unload", "delivery": "all", "alphabet": "\(alphabet)", "given": \(given), \
        "when": \(when), "expect": \(expect)\(more)}
        """
    }

    private func failure(_ line: String) -> String? {
        let conformanceCase = ConformanceCase(line: line)
        return conformanceCase.failure(of: conformanceCase.run())
    }

    @Test("a case whose expectations hold passes")
    func holds() {
        let failure = failure(
            Self.line(
                when: #"[["vc", "A"], ["view", "A"]]"#,
                expect: #"["A.init", "A.loadView", "A.viewDidLoad"]"#,
                more: #", "assert": {"A.isViewLoaded": true, "A.superviewIsNil": true, "A.parent": null}"#
            )
        )
        #expect(failure == nil)
    }

    @Test(
        "a wrong expectation fails, with the actual events in the message",
        arguments: [
            (#"["A.init"]"#, ""),
            (#"["A.loadView", "A.init", "A.viewDidLoad"]"#, ""),
            (#"["A.init", "A.loadView", "A.viewDidLoad", "A.viewWillAppear"]"#, ""),
            (#"["A.init", "A.loadView", "A.viewDidLoad"]"#, #", "assert": {"A.isViewLoaded": false}"#),
            (#"["A.init", "A.loadView", "A.viewDidLoad"]"#, #", "assert": {"A.superviewIsNil": false}"#),
            (#"["A.init", "A.loadView", "A.viewDidLoad"]"#, #", "assert": {"A.parent": "P"}"#),
        ]
    )
    func wrong(_ expect: String, _ more: String) throws {
        let line = Self.line(when: #"[["vc", "A"], ["view", "A"]]"#, expect: expect, more: more)
        #expect(try #require(failure(line)).contains("    A.init\n    A.loadView\n    A.viewDidLoad"))
    }

    @Test("faults count in every alphabet")
    func faults() throws {
        let line = Self.line(
            alphabet: "envEvents",
            when: #"[["vc", "A"], ["end", "A"]]"#,
            more: #", "only": ["B"]"#
        )
        #expect(try #require(failure(line)).contains("fault:unbalancedAppearanceTransition"))
    }

    @Test(
        "a word outside the vocabulary fails its case, even if it is never reached",
        arguments: [
            (line(when: #"[["fly", "A"]]"#), "no such operation"),
            (line(when: #"[["vc"]]"#), "too few arguments"),
            (line(when: #"[["vc", "A", {}, 1]]"#), "too many arguments"),
            (line(when: #"[["vc", "A", {"colour": "red"}]]"#), "unknown colour"),
            (line(when: #"[["vc", "A", {"loadView": "later"}]]"#), "no LoadView later"),
            (line(when: #"[["vc", "A", {"on": {"viewDidFly": []}}]]"#), "no callback viewDidFly"),
            (line(when: #"[["vc", "A", {"on": {"viewDidUnload": [["fly"]]}}]]"#), "no such operation"),
            (line(when: #"[["vc", "A", {"onMemoryWarning": "releases"}]]"#), "no releasesName"),
            (line(when: #"[["pressure", "high"]]"#), "is no level"),
            (line(when: #"[["cacheLimit", "K", "age", 1]]"#), "no CacheLimit age"),
            (line(when: #"[["bundle", {"storyboards": {"M": {"scenes": {"s": {"size": 1}}}}}]]"#), "unknown size"),
            (line(when: #"[["select", "T", -1]]"#), "is not a whole number"),
            (line(when: "{}"), "is not a list"),
            (line(alphabet: "greek"), "no Alphabet greek"),
            (line(more: #", "annotate": "size""#), "no Annotation size"),
            (line(more: #", "assert": {"A.size": 1}"#), "nothing is known of the state A.size"),
            (line(more: #", "until": 3"#), "unknown until"),
            (#"{"id": "T", "policy": "unload"}"#, "no delivery"),
            (#"{"id": "T""#, "is not JSON"),
            ("[1.5]", "is not JSON"),
        ]
    )
    func unknown(_ line: String, _ reason: String) throws {
        #expect(try #require(failure(line)).contains(reason))
    }

    @Test(
        "an operation that cannot be performed fails its case instead of being skipped",
        arguments: [
            (#"[["view", "A"]]"#, "there is no A"),
            (#"[["vc", "A"], ["push", "A", "A"]]"#, "A is no NavigationController"),
            (#"[["vc", "A"], ["release", "A"], ["view", "A"]]"#, "A is gone"),
            (#"[["vc", "A"], ["tab", "T", ["A"]], ["select", "T", 1]]"#, "T has no child 1"),
            (#"[["vc", "A", {"on": {"init": [["view", "B"]]}}]]"#, "there is no B"),
            (#"[["vc", "A", {"on": {"didMove": [["didMove", "A", null]]}}], ["didMove", "A", null]]"#, "inside"),
        ]
    )
    func impossible(_ when: String, _ reason: String) throws {
        #expect(try #require(failure(Self.line(alphabet: "envEvents", when: when))).contains(reason))
    }

    @Test("a deallocation is noted after its operation, and that of a nested operation before the outer one continues")
    func ends() {
        let failure = failure(
            Self.line(
                alphabet: "containment",
                given: #"""
                    [["vc", "A"], ["vc", "B"], ["addChild", "A", "B"], ["release", "B"], ["vc", "C"],
                     ["vc", "D", {"on": {"viewDidLoad": [["release", "C"]], "willMove": [["release", "D"]]}}]]
                    """#,
                when: #"[["release", "A"], ["view", "D"], ["willMove", "D", null]]"#,
                expect: """
                    ["A.deinit", "B.deinit", "D.loadView", "D.viewDidLoad", "C.deinit", "D.willMove(nil)", "D.deinit"]
                    """
            )
        )
        #expect(failure == nil)
    }

    @Test("a file is read line by line; a missing or empty one is a case that fails")
    func files() throws {
        let directory = try TemporaryDirectory()
        try directory.write(Self.line() + "\n\n" + Self.line(alphabet: "greek") + "\nnonsense\n", to: "cases")
        try directory.write("\n", to: "empty")
        let cases = ConformanceCase.all(in: directory.path + "/cases")
        #expect(cases.map(\.testDescription) == ["T", "T", "\(directory.path)/cases:3"])
        #expect(cases.map { $0.failure(of: $0.run()) == nil } == [true, false, false])
        for name in ["empty", "missing"] {
            let path = "\(directory.path)/\(name)"
            let cases = ConformanceCase.all(in: path)
            #expect(cases.map(\.testDescription) == [path])
            #expect(cases.allSatisfy { $0.failure(of: $0.run()) != nil })
        }
    }
}
