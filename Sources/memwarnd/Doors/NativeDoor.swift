import Glibc
import MemoryPressure
import MemwarnProtocol
import Systemd

/// The native socket: lets peers in, reads their frames, and closes on those who break the rules.
final class NativeDoor {
    /// What the daemon does with a peer.
    protocol Delegate: AnyObject {
        /// A peer sent a frame.
        func door(_ door: NativeDoor, _ peer: Peer, sent frame: Frame)
        /// A peer is gone, or was let go of.
        func door(_ door: NativeDoor, closed peer: Peer)
        /// A peer was let go of for this reason.
        func door(_ door: NativeDoor, refused peer: Peer?, _ refusal: Refusal)
    }

    /// Who decides; set before the loop runs.
    weak var delegate: (any Delegate)?
    private(set) var peers: [CInt: Peer] = [:]
    private let socket: ListeningSocket
    private let loop: EventLoop
    private let limit: Int
    private var source: IOSource?
    private var group: PollGroup?
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Frame.maximumSize, alignment: 8)

    /// Opens the door to at most `limit` peers at once.
    init(_ socket: ListeningSocket, limit: Int, loop: EventLoop) throws(SystemdError) {
        self.socket = socket
        self.limit = limit
        self.loop = loop
        source = try loop.watch(socket.fileDescriptor, for: .readable) { [unowned self] _ in admit() }
        group = try PollGroup(on: loop) { [unowned self] in
            // One that was let go of a moment ago may still be reported.
            if let peer = peers[$0] { read(peer) }
        }
    }

    deinit {
        source = nil
        group = nil
        buffer.deallocate()
    }

    /// Says why, and ends the connection.
    func refuse(_ peer: Peer, sequence: UInt64, _ refusal: Refusal) {
        peer.dismiss(Frame(sequence: sequence, message: .error(refusal)))
        delegate?.door(self, refused: peer, refusal)
        close(peer)
    }

    private func admit() {
        // A batch at a time, so that ten thousand newcomers do not hold up those who are there.
        for _ in 0..<64 {
            do throws(KernelError) {
                guard let descriptor = try socket.accept() else { return }
                letIn(FrameSocket(taking: descriptor))
            } catch {
                // No descriptors left: whoever is in line would wake us for ever. They wait until somebody leaves.
                if error.errno == EMFILE || error.errno == ENFILE { source?.disable() }
                delegate?.door(self, refused: nil, Refusal(code: .tooManyPeers, message: "\(error)"))
                return
            }
        }
    }

    /// Takes a connection, a newcomer's or one that an earlier daemon had.
    ///
    /// - Returns: the peer, or `nil` if it was told why not, and the connection closed.
    @discardableResult
    func letIn(_ connection: consuming FrameSocket) -> Peer? {
        do throws(KernelError) {
            let peer = try Peer(connection, now: .now)
            do throws(SystemdError) {
                guard peers.count < limit else { return turnAway(peer, "there are \(limit) peers already") }
                try group?.add(peer.fileDescriptor)
                peers[peer.fileDescriptor] = peer
                return peer
            } catch {
                return turnAway(peer, "\(error)")
            }
        } catch {
            // Nobody knows who that is: the connection is closed without a word.
            delegate?.door(self, refused: nil, Refusal(code: .malformed, message: "\(error)"))
            return nil
        }
    }

    private func turnAway(_ newcomer: Peer, _ reason: String) -> Peer? {
        let refusal = Refusal(code: .tooManyPeers, message: reason.prefix(utf8: TextLimit.message.upperBound))
        newcomer.dismiss(Frame(sequence: 0, message: .error(refusal)))
        delegate?.door(self, refused: nil, refusal)
        return nil
    }

    private func read(_ peer: Peer) {
        guard let received = peer.receive(into: buffer, at: .now) else {
            return refuse(peer, sequence: 0, Refusal(code: .tooManyPeers, message: "too many frames a second"))
        }
        switch received {
        case .empty: return
        case .closed: close(peer)
        case .oversized(let size): refuse(peer, sequence: sequence(of: size), Refusal(FrameError.tooLong(size)))
        case .packet(let size):
            do throws(FrameError) {
                delegate?.door(self, peer, sent: try Frame(decoding: UnsafeRawBufferPointer(rebasing: buffer[..<size])))
            } catch {
                refuse(peer, sequence: sequence(of: size), Refusal(error))
            }
        }
    }

    /// The sequence of the packet in the buffer, which is no frame; 0 if it is shorter than a header.
    private func sequence(of size: Int) -> UInt64 {
        guard size >= Frame.headerSize else { return 0 }
        return UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }

    private func close(_ peer: Peer) {
        guard peers.removeValue(forKey: peer.fileDescriptor) != nil else { return }
        group?.remove(peer.fileDescriptor)
        delegate?.door(self, closed: peer)
        try? source?.enable()
    }
}
