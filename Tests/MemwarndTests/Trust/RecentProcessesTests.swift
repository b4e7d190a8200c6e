import Testing

@testable import memwarnd

struct RecentProcessesTests {
    @Test("the cgroup of each of the two most recently connected processes is read once")
    func two() {
        var recent = RecentProcesses()
        var read: [UInt32] = []
        for pid: UInt32 in [1, 1, 2, 1, 2, 2, 3, 2, 3, 1] {
            let account = recent.account(of: pid) {
                read.append(pid)
                return pid == 2 ? nil : UInt64(pid) * 100
            }
            #expect(account == (pid == 2 ? nil : UInt64(pid) * 100))
        }
        #expect(read == [1, 2, 3, 1])
    }
}
