// A name server on loopback that says exactly what a test wants, over UDP and TCP on one port.
import dgram from 'node:dgram'
import { once } from 'node:events'
import net from 'node:net'
import { onTestFinished } from 'vitest'

/** What it says of one question; `silence` = nothing at all, over UDP `cut` = ask again over TCP. */
export type Said =
  | { readonly addresses: readonly string[]; readonly ttl?: number }
  | { readonly rcode: number }
  | 'silence'
  | 'cut'

export interface Question {
  readonly name: string
  readonly type: 'A' | 'AAAA'
  readonly over: 'udp' | 'tcp'
}

export interface DnsStub {
  /** As `nameServers` wants it. */
  readonly server: string
  readonly asked: readonly Question[]
}

const TYPES: Readonly<Record<number, 'A' | 'AAAA'>> = { 1: 'A', 28: 'AAAA' }

/** Starts one. */
export async function dnsStub(say: (question: Question) => Said): Promise<DnsStub> {
  const asked: Question[] = []
  const answerTo = (query: Buffer, over: 'udp' | 'tcp'): Buffer | undefined => {
    const { name, type, end } = questionIn(query)
    const question = { name, type, over }
    asked.push(question)
    return answerOf(query.subarray(0, end), say(question))
  }
  const udp = dgram.createSocket('udp4')
  udp.on('message', (query, from) => {
    const answer = answerTo(query, 'udp')
    if (answer !== undefined) udp.send(answer, from.port, from.address)
  })
  const open = new Set<net.Socket>()
  const tcp = net.createServer((socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket)).on('error', () => {})
    let came = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      came = Buffer.concat([came, chunk])
      while (came.length >= 2 && came.length >= 2 + came.readUInt16BE(0)) {
        const end = 2 + came.readUInt16BE(0)
        const answer = answerTo(came.subarray(2, end), 'tcp')
        came = came.subarray(end)
        if (answer !== undefined) socket.write(Buffer.concat([Buffer.from([answer.length >> 8, answer.length & 255]), answer]))
      }
    })
  })
  // TCP chooses the port: its free ones are rarer, for connections that are over keep theirs for a minute.
  tcp.listen(0, '127.0.0.1')
  await once(tcp, 'listening')
  const { port } = tcp.address() as net.AddressInfo
  udp.bind(port, '127.0.0.1')
  await once(udp, 'listening')
  onTestFinished(() => {
    udp.close()
    for (const socket of open) socket.destroy()
    tcp.close()
  })
  return { server: `127.0.0.1:${port}`, asked }
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

function answerOf(question: Buffer, said: Said): Buffer | undefined {
  if (said === 'silence') return undefined
  const records =
    typeof said === 'object' && 'addresses' in said ? said.addresses.map((address) => recordOf(address, said.ttl ?? 300)) : []
  const answer = Buffer.concat([question, ...records])
  const rcode = typeof said === 'object' && 'rcode' in said ? said.rcode : 0
  answer.writeUInt16BE(0x81_80 | rcode | (said === 'cut' ? 0x02_00 : 0), 2)
  answer.writeUInt16BE(records.length, 6)
  // Neither authority nor additional records, whatever the question had.
  answer.writeUInt32BE(0, 8)
  return answer
}

/** With a pointer to the name in the question. */
function recordOf(address: string, ttl: number): Buffer {
  const data = net.isIPv4(address)
    ? Buffer.from(address.split('.').map(Number))
    : Buffer.concat(
        address.split(':').map((group) => {
          const value = Number.parseInt(group, 16)
          return Buffer.from([value >> 8, value & 255])
        }),
      )
  const head = Buffer.alloc(12)
  head.writeUInt16BE(0xc0_0c, 0)
  head.writeUInt16BE(data.length === 4 ? 1 : 28, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt32BE(ttl, 6)
  head.writeUInt16BE(data.length, 10)
  return Buffer.concat([head, data])
}
