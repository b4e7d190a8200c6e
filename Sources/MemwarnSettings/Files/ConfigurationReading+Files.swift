import CLinux
import MemoryPressure

extension ConfigurationReading {
    /// How long a file may be, in bytes: far longer than the 6 KB of the one that names every key.
    ///
    /// The daemon does nothing else while it reads.
    static let longestFile = 1 << 20

    /// Reads the configuration at `path`, or the system's if that is `nil`, and its drop-ins.
    package init(of path: String?) {
        self.init()
        let files = ConfigurationFiles(of: path)
        read(files.main, isRequired: files.isRequired)
        do throws(KernelError) {
            for file in try files.dropIns() { read(file, isRequired: true) }
        } catch {
            refuse(error.path, "\(error)")
        }
        conclude()
    }

    private mutating func read(_ file: String, isRequired: Bool) {
        // A FIFO would have the daemon wait for a writer.
        guard KernelFile.isRegular(file) ?? true else {
            return refuse(file, "it is no regular file; a configuration is one")
        }
        do throws(KernelError) {
            parse(try KernelFile.text(of: file, limit: Self.longestFile), from: file)
        } catch  where error.errno == EFBIG {
            refuse(file, "it is longer than \(Self.longestFile >> 20) MiB; a configuration file has some kilobytes")
        } catch {
            if isRequired || error.errno != ENOENT { refuse(file, "\(error)") }
        }
    }
}
