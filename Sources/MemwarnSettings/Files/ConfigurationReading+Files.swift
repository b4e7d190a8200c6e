import CLinux
import MemoryPressure

extension ConfigurationReading {
    /// The maximum size of a file, in bytes: far more than the 6 KB of a file with every key.
    ///
    /// The daemon does nothing else while it reads the file.
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
        // A FIFO would make the daemon wait for a writer.
        guard KernelFile.isRegular(file) ?? true else {
            return refuse(file, "it is not a regular file; a configuration has to be one")
        }
        do throws(KernelError) {
            // Some files of the kernel call themselves regular, and make a reader wait for text: /proc/kmsg.
            let open = try Descriptor(opening: file, O_RDONLY | O_NONBLOCK)
            parse(try KernelFile.text(open.raw, path: file, limit: Self.longestFile), from: file)
        } catch  where error.errno == EFBIG {
            refuse(file, "it is longer than \(Self.longestFile >> 20) MiB; a configuration file has some kilobytes")
        } catch {
            if isRequired || error.errno != ENOENT { refuse(file, "\(error)") }
        }
    }
}
