import MemwarnProgram

/// The program `memwarnd`: with `run` the daemon; otherwise it executes memwarnctl in its place.
@main
enum Memwarnd {
    static func main() {
        StandardDescriptors.fill()
        Failure.reported { () throws(Failure) in
            let arguments = try Arguments()
            guard let options = try RunOptions(arguments.words) else { throw try arguments.handOver(to: .memwarnctl) }
            return try Run(options).serve()
        }
    }
}
