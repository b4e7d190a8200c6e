// Code that used Foundation's NSCache: keys and objects that are Sendable, and a delegate.
import Foundation
import ObjectCache

final class Page: Sendable {
    let bytes: [UInt8]
    init(_ bytes: [UInt8]) { self.bytes = bytes }
}

let pages = Cache<String, Page>()
pages.totalCostLimit = 64 << 20
let page = Page([UInt8](repeating: 0, count: 4096))
pages.setObject(page, forKey: "index", cost: page.bytes.count)

final class EvictionLog: CacheDelegate {
    func cache(_ cache: Cache<String, Page>, willEvictObject page: Page) {
        print("\(page.bytes.count) bytes leave")
    }
}

let log = EvictionLog()  // the cache does not keep it alive
pages.delegate = log

// NSString is not Sendable, since it may be an NSMutableString; this one is never changed.
struct Key: Hashable, @unchecked Sendable {
    let text: NSString
}

let titles = Cache<Key, Page>()
titles.setObject(page, forKey: Key(text: "index"))
