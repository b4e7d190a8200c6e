import CLinux
import SimulatorKit

exit(Command(Array(CommandLine.arguments.dropFirst())).run() ? 0 : 1)
