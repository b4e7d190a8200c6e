internal import CBench

/// Takes an object from a caller that uses it afterwards: the caller retains it, and this function releases it.
///
/// It is in a separate module, so that the compiler cannot omit both.
@inline(never)
package func take(_ object: consuming AnyObject?) {
    guard let object else { return }
    bench_use(Unmanaged.passUnretained(object).toOpaque())
}
