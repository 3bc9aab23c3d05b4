// Asks a name server over TCP for both families of addresses of a name, on one connection (RFC 7766), within a time limit.
import type { Clock } from '@avocet/core/store'
import { connect, isIP } from 'node:net'
import { readAnswer, RECORD, writeQuestion, type DnsAnswer } from './dns-message.ts'

/** From connecting to both answers. */
const LIMIT_MS = 3_000
const DNS_PORT = 53
/** The ids tell the answers apart on a connection that nobody else uses. */
const IDS = { A: 4, AAAA: 6 } as const

/** What came within the limit; a family that is missing got no answer. */
export interface TcpAnswers {
  readonly v4?: DnsAnswer
  readonly v6?: DnsAnswer
}

/** Asks `server`, an address with or without a port as `dns.getServers()` writes it. Calls `answered` once; what it returns ends it early. */
export function askOverTcp(
  server: string,
  { name, clock }: { readonly name: string; readonly clock: Clock },
  answered: (answers: TcpAnswers) => void,
): () => void {
  let answers: TcpAnswers = {}
  let came: Buffer = Buffer.alloc(0)
  const socket = connect(placeOf(server))
  const deadline = clock.at(clock.now() + LIMIT_MS, () => socket.destroy())
  const read = (chunk: Buffer): void => {
    came = Buffer.concat([came, chunk])
    while (came.length >= 2 && came.length >= 2 + came.readUInt16BE(0)) {
      const answer = readAnswer(came.subarray(2, 2 + came.readUInt16BE(0)))
      came = came.subarray(2 + came.readUInt16BE(0))
      if (answer?.id === IDS.A) answers = { ...answers, v4: answer }
      else if (answer?.id === IDS.AAAA) answers = { ...answers, v6: answer }
      // Who answers something else will not become clearer.
      else socket.destroy()
    }
    if (answers.v4 !== undefined && answers.v6 !== undefined) socket.destroy()
  }
  socket
    .on('data', read)
    .on('end', () => socket.destroy())
    // The answers say it: there are none.
    .on('error', () => undefined)
    .once('close', () => {
      deadline[Symbol.dispose]()
      answered(answers)
    })
  socket.write(framed(writeQuestion(IDS.A, name, RECORD.A)))
  socket.write(framed(writeQuestion(IDS.AAAA, name, RECORD.AAAA)))
  return () => void socket.destroy()
}

function framed(message: Buffer): Buffer {
  return Buffer.concat([Buffer.from([message.length >> 8, message.length & 255]), message])
}

/** `192.0.2.1`, `192.0.2.1:5353`, `2001:db8::1` or `[2001:db8::1]:5353`. */
function placeOf(server: string): { readonly host: string; readonly port: number } {
  if (isIP(server) !== 0) return { host: server, port: DNS_PORT }
  const [, v6, v4, port] = /^(?:\[(.+)\]|([^:]+))(?::(\d+))?$/.exec(server) ?? []
  return { host: v6 ?? v4 ?? server, port: Number(port ?? DNS_PORT) }
}
