// A name server on loopback that says of each name what it is told to, over UDP and TCP on one port: answers, refusals, silence, lies.
import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, isIPv4, type Server, type Socket } from 'node:net'
import { dnsRecord } from './dns-record.ts'

/**
 * What it says of one name. `silence`: nothing at all. `cut`: over UDP, ask again over TCP. `garbage`: bytes that are no DNS message. `forged`: an
 * answer to another question. `rcode` 2 is SERVFAIL, 3 is NXDOMAIN. `alias`: a CNAME, and nothing about where it leads.
 */
export type NameAnswer =
  | { readonly addresses: readonly string[]; readonly ttl?: number }
  | { readonly rcode: number }
  | { readonly alias: string }
  | 'silence'
  | 'cut'
  | 'garbage'
  | 'forged'

/** A question. */
export interface NameQuestion {
  readonly name: string
  readonly type: 'A' | 'AAAA'
  readonly over: 'udp' | 'tcp'
}

/** A running name server. */
export interface NameServer {
  /** As the option `nameServers` wants it. */
  readonly server: string
  close(): void
}

/** Ports that are tried until one is free over both UDP and TCP. */
const TRIES = 20
const TYPES: Readonly<Record<number, 'A' | 'AAAA'>> = { 1: 'A', 28: 'AAAA' }

/** Starts one. Addresses of the other family than the question's are left out. */
export async function startNameServer(say: (question: NameQuestion) => NameAnswer): Promise<NameServer> {
  const answerTo = (query: Buffer, over: 'udp' | 'tcp'): Buffer | undefined => {
    const { name, type, end } = questionIn(query)
    return answerOf(query.subarray(0, end), type, say({ name, type, over }))
  }
  const open = new Set<Socket>()
  const tcp = createServer((socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket)).on('error', () => {})
    let came = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      came = Buffer.concat([came, chunk])
      while (came.length >= 2 && came.length >= 2 + came.readUInt16BE(0)) {
        const end = 2 + came.readUInt16BE(0)
        const answer = answerTo(came.subarray(2, end), 'tcp')
        came = came.subarray(end)
        if (answer !== undefined) socket.write(Buffer.concat([Buffer.of(answer.length >> 8, answer.length & 255), answer]))
      }
    })
  })
  const udp = await listenOnBoth(tcp)
  udp.on('message', (query, from) => {
    const answer = answerTo(query, 'udp')
    if (answer !== undefined) udp.send(answer, from.port, from.address)
  })
  return {
    server: `127.0.0.1:${String(udp.address().port)}`,
    close() {
      udp.close()
      for (const socket of open) socket.destroy()
      tcp.close()
    },
  }
}

/** Has `tcp` listen, and a new socket at the same port over UDP. What is free over one may be taken over the other. */
async function listenOnBoth(tcp: Server): Promise<UdpSocket> {
  for (let tries = TRIES; ; tries--) {
    const udp = createSocket('udp4')
    udp.bind(0, '127.0.0.1')
    await once(udp, 'listening')
    tcp.listen(udp.address().port, '127.0.0.1')
    try {
      await once(tcp, 'listening')
      return udp
    } catch (error) {
      udp.close()
      if (tries === 1) throw error
    }
  }
}

function questionIn(query: Buffer): { readonly name: string; readonly type: 'A' | 'AAAA'; readonly end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  return { name: labels.join('.').toLowerCase(), type: TYPES[query.readUInt16BE(at + 1)] ?? 'A', end: at + 5 }
}

function answerOf(question: Buffer, type: 'A' | 'AAAA', said: NameAnswer): Buffer | undefined {
  if (said === 'silence') return undefined
  if (said === 'garbage') return Buffer.from('no DNS message at all')
  const records = recordsOf(type, said)
  const answer = Buffer.concat([question, ...records])
  const rcode = typeof said === 'object' && 'rcode' in said ? said.rcode : 0
  answer.writeUInt16BE(0x81_80 | rcode | (said === 'cut' ? 0x02_00 : 0), 2)
  answer.writeUInt16BE(records.length, 6)
  // Neither authority nor additional records, whatever the question had.
  answer.writeUInt32BE(0, 8)
  if (said === 'forged') answer.writeUInt16BE(answer.readUInt16BE(0) ^ 0x55_55, 0)
  return answer
}

function recordsOf(type: 'A' | 'AAAA', said: NameAnswer): Buffer[] {
  if (said === 'forged') return [dnsRecord(type === 'A' ? 1 : 28, Buffer.alloc(type === 'A' ? 4 : 16, 127), 300)]
  if (typeof said !== 'object') return []
  if ('alias' in said) return [dnsRecord(5, labelsOf(said.alias), 300)]
  if (!('addresses' in said)) return []
  const { addresses, ttl = 300 } = said
  return addresses
    .filter((address) => isIPv4(address) === (type === 'A'))
    .map((address) => dnsRecord(type === 'A' ? 1 : 28, octetsOf(address), ttl))
}

function labelsOf(name: string): Buffer {
  return Buffer.concat([
    ...name.split('.').map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`)),
    Buffer.of(0),
  ])
}

/** The octets of an address; the URL parser writes an IPv6 address in groups, with at most one gap. */
function octetsOf(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number))
  const [head = '', tail = ''] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::')
  const [before, after] = [head, tail].map((part) => part.split(':').filter((group) => group !== ''))
  const gap = 8 - (before?.length ?? 0) - (after?.length ?? 0)
  const groups = [...(before ?? []), ...Array<string>(gap).fill('0'), ...(after ?? [])]
  return Buffer.concat(groups.map((group) => Buffer.from(group.padStart(4, '0'), 'hex')))
}
