import CHammer
import Canaries
import Synchronization

/// A place where a value is read and replaced.
protocol Place: AnyObject, Sendable {
    associatedtype Value: CheckedValue

    func read() -> Value?
    func replace(by value: consuming Value)
}

/// How long a reader pauses after each instruction, in nanoseconds.
///
/// Some ten replacements happen in that time.
private let pause: CInt = 5000

/// The number of values that are made before the first of them is stored, so that none reuses the memory of an ended one.
private let batch = 20_000

/// Reads the value repeatedly in single steps, while another thread replaces it.
func test<Subject: Place>(_ name: String, _ place: Subject, _ seconds: Double) {
    place.replace(by: Subject.Value(key: 1, number: 0))
    let replacer = Replacer(place)
    let thread = SystemThread { replacer.run() }
    let end = ContinuousClock.now + .seconds(seconds)
    var (reads, steps, numbers) = (0, 0, Set<Int>())
    while reads < 50 || numbers.count < 2 || ContinuousClock.now < end {
        single_step_begin(pause)
        let value = place.read()
        steps += Int(single_step_end())
        guard let value else { fail("\(name): no value was found, though it was only replaced") }
        value.check(1)
        numbers.insert(value.number)
        reads += 1
    }
    replacer.stop()
    thread.join()
    expect(steps > reads * 20, "\(name): the reader did not run by single instructions")
    print("\(name): \(reads) reads of \(steps / reads) instructions, which found \(numbers.count) values")
}

/// Replaces the value until it is stopped.
private final class Replacer<Subject: Place>: Sendable {
    private let place: Subject
    private let isStopped = Atomic<Bool>(false)

    init(_ place: Subject) {
        self.place = place
    }

    func stop() {
        isStopped.store(true, ordering: .relaxed)
    }

    func run() {
        var number = 0
        while !isStopped.load(ordering: .relaxed) {
            var values: [Subject.Value?] = (1...batch).map { Subject.Value(key: 1, number: number + $0) }
            number += batch
            for index in values.indices where !isStopped.load(ordering: .relaxed) {
                if let value = values[index].take() { place.replace(by: value) }
            }
        }
    }
}
