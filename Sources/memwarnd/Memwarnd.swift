import ArgumentParser
import TOMLKit

@main
struct Memwarnd: ParsableCommand {
}
