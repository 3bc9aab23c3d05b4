// A record of a DNS message (RFC 1035 §4.1.3), as test servers and generators write it.

/** Its name is a pointer to the one in the question; the class is that of the internet. `type`: 1 is A, 5 is CNAME, 28 is AAAA. */
export function dnsRecord(type: number, data: Buffer, ttl: number): Buffer {
  const head = Buffer.alloc(12)
  head.writeUInt16BE(0xc0_0c, 0)
  head.writeUInt16BE(type, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt32BE(ttl, 6)
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}
