"""Splits recordings of memory pressure and joins the pieces to new recordings; docs/TUNING.md has the format."""
import dataclasses

MAGIC = b"memwarnd recording\n\x01"
CALM, SAMPLE, EVENT, MARK = range(4)
SOME, FULL, USED, LIMIT, HIGH, MAX, RECLAIM, GONE = (1 << bit for bit in range(8))


@dataclasses.dataclass
class Record:
    """A record of a recording with one scope: the changes in a sample, an event, or a mark."""

    calm: int  # the number of samples without any change before it
    kind: int
    late: int = 0  # ms
    code: int = 0  # of an event or a mark
    changes: dict = dataclasses.field(default_factory=dict)  # by bit: the growth of a counter; the limit as bytes


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self):
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def signed(self):
        value = self.number()
        return value >> 1 ^ -(value & 1)

    def text(self):
        return self.take(self.number())


def number(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def signed(value):
    return number(2 * value if value >= 0 else -2 * value - 1)


def read(path):
    """The header's bytes, the interval in milliseconds, and the records of a recording with one scope."""
    reader = Reader(open(path, "rb").read())
    if reader.take(len(MAGIC)) != MAGIC:
        raise ValueError(f"{path} is no recording of version 1")
    interval = reader.number()
    reader.number(), reader.number(), reader.text()
    if reader.number() != 1:
        raise ValueError(f"{path} has more than one scope")
    reader.text(), reader.take(1), reader.number(), reader.take(1)
    header = reader.data[: reader.at]
    records = []
    while reader.at < len(reader.data):
        head = reader.number()
        record = Record(head >> 2, head & 3)
        if record.kind == SAMPLE:
            record.late = reader.signed()
            bits = reader.take(1)[0]
            for bit in (SOME, FULL, LIMIT, USED, HIGH, MAX, RECLAIM):
                if not bits & bit:
                    continue
                start = reader.at
                if bit == LIMIT:
                    if reader.take(1)[0]:
                        reader.number(), reader.text()
                    record.changes[bit] = reader.data[start : reader.at]
                elif bit == RECLAIM:
                    record.changes[bit] = (reader.signed(), reader.signed())
                else:
                    record.changes[bit] = reader.signed()
        elif record.kind in (EVENT, MARK):
            if record.kind == EVENT:
                reader.number()
            record.code = reader.take(1)[0]
            record.late = reader.signed()
        records.append(record)
    return header, interval, records


def write(header, records):
    """The bytes of a recording with these records."""
    out = bytearray(header)
    for record in records:
        out += number(record.calm << 2 | record.kind)
        if record.kind == SAMPLE:
            out += signed(record.late) + bytes([sum(record.changes)])
            for bit in (SOME, FULL, LIMIT, USED, HIGH, MAX, RECLAIM):
                if bit not in record.changes:
                    continue
                change = record.changes[bit]
                if bit == LIMIT:
                    out += change
                elif bit == RECLAIM:
                    out += signed(change[0]) + signed(change[1])
                else:
                    out += signed(change)
        elif record.kind == EVENT:
            out += number(0) + bytes([record.code]) + signed(record.late)
        elif record.kind == MARK:
            out += bytes([record.code]) + signed(record.late)
    return bytes(out)


def samples(records):
    """The number of samples that the records represent."""
    return sum(record.calm + (record.kind == SAMPLE) for record in records)
