/// A new index was built and can be searched; posted in the host.
struct IndexBuilt {
    let terms: Int
    let bytes: Int
}
