# Stamps what leaves the given TCP ports of this machine over loopback, by the kernel's own clock at each packet, and
# stands in nobody's way. A line on stdin asks for all that came since the last one; nothing is written until then, so
# that it takes no time from what is measured. Answers one line of JSON: packets as [source port, destination port,
# sequence number, ended, nanoseconds, payload], and how many the kernel had to drop.
import base64
import ctypes
import json
import select
import socket
import struct
import sys

SO_ATTACH_FILTER, SO_RCVBUFFORCE, SO_TIMESTAMPNS = 26, 33, 35
SOL_PACKET, PACKET_STATISTICS = 263, 6
ETH_P_IP, IPPROTO_TCP = 0x0800, 6
RECEIVE_BYTES = 1 << 18
QUEUE_BYTES = 1 << 25


def filter_of(ports):
    """Incoming only, for on loopback each packet goes out as well; TCP over IPv4; from one of the ports."""
    rest = 5 + len(ports)
    code = [
        (0x20, 0, 0, 0xFFFFF004),  # kind of packet
        (0x15, 0, rest + 1, 0),
        (0x28, 0, 0, 12),  # protocol of the frame
        (0x15, 0, rest - 1, ETH_P_IP),
        (0x30, 0, 0, 23),  # protocol of the packet
        (0x15, 0, rest - 3, IPPROTO_TCP),
        (0xB1, 0, 0, 14),  # length of its header
        (0x48, 0, 0, 14),  # source port
    ]
    for index, port in enumerate(ports):
        code.append((0x15, len(ports) - index, 0, port))
    code += [(0x06, 0, 0, 0), (0x06, 0, 0, RECEIVE_BYTES)]
    return b"".join(struct.pack("HBBI", *one) for one in code)


def opened(ports):
    tap = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    program = ctypes.create_string_buffer(filter_of(ports))
    length = len(program.raw) // 8
    tap.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, struct.pack("HL", length, ctypes.addressof(program)))
    tap.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, QUEUE_BYTES)
    tap.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    # The filter stands before the first packet can come.
    tap.bind(("lo", ETH_P_IP))
    tap.setblocking(False)
    return tap


def packet_of(frame, ancillary):
    stamps = [data for level, kind, data in ancillary if level == socket.SOL_SOCKET and kind == SO_TIMESTAMPNS]
    seconds, nanoseconds = struct.unpack("ll", stamps[0][:16])
    total = struct.unpack_from(">H", frame, 16)[0]
    start = 14 + 4 * (frame[14] & 0x0F)
    source, target, sequence = struct.unpack_from(">HHI", frame, start)
    data = start + 4 * (frame[start + 12] >> 4)
    ended = frame[start + 13] & 0x05 != 0
    # A packet of more than 64 KiB states no length.
    end = 14 + total if total != 0 else len(frame)
    return source, target, sequence, ended, seconds * 1_000_000_000 + nanoseconds, frame[data:end]


def main():
    tap = opened([int(port) for port in sys.argv[1:]])
    packets = []
    print("ready", flush=True)
    while True:
        ready, _, _ = select.select([tap, sys.stdin], [], [])
        while tap in ready:
            try:
                frame, ancillary, _, _ = tap.recvmsg(RECEIVE_BYTES, 64)
            except BlockingIOError:
                break
            packets.append((frame, ancillary))
        if sys.stdin not in ready:
            continue
        if sys.stdin.readline() == "":
            return
        taken = [packet_of(*one) for one in packets]
        packets = []
        base = min((one[4] for one in taken), default=0)
        rows = [[s, t, n, e, at - base, base64.b64encode(d).decode()] for s, t, n, e, at, d in taken if e or d]
        dropped = struct.unpack("II", tap.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8))[1]
        print(json.dumps({"packets": rows, "dropped": dropped}), flush=True)


main()
