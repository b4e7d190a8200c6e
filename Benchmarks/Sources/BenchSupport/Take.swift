internal import CBench

/// Takes an object from a caller that uses it afterwards: the caller retains it, and it is released here.
///
/// In a module of its own, so that the compiler cannot leave both out.
@inline(never)
package func take(_ object: consuming AnyObject?) {
    guard let object else { return }
    bench_use(Unmanaged.passUnretained(object).toOpaque())
}
