// What hosts that flood a crawl with bodies cost it in memory, measured from outside: real sockets, the crawl in a process of its own.
//
// Before there was a budget the first took 2.1 GB and the second 0.96 GB.
import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { DEFAULTS } from '@avocet/core/store'
import { describe, expect, it, onTestFinished } from 'vitest'

const MIB = 2 ** 20
const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n'

interface End {
  readonly peakBytes: number
  readonly heldBytes: number
  readonly requests: number
  readonly pages: number
  readonly failures: readonly { readonly reason: string }[]
}

/** Every request gets `answer`, and its connection stays open. */
async function serving(answer: Buffer): Promise<number> {
  const sockets = new Set<net.Socket>()
  const server = net.createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    socket.on('data', () => socket.write(answer))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** The crawl of so many hosts that all give `answer`, until it ends or so many exchanges have. */
async function flooded(
  answer: Buffer,
  { hosts, exchanges = Infinity }: { readonly hosts: number; readonly exchanges?: number },
): Promise<End> {
  const port = await serving(answer)
  const child = fork(join(import.meta.dirname, 'crawler.ts'), [port, hosts, exchanges].map(String))
  onTestFinished(() => void child.kill('SIGKILL'))
  const [end] = (await once(child, 'message')) as [End]
  return end
}

describe('a crawl that is flooded with bodies stays within its budget and 128 MiB', () => {
  it('with sixty pages of 31 MiB in 240 KiB of gzip', { timeout: 90_000 }, async () => {
    const text = Buffer.alloc(31 * MIB, 'a')
    text.write(randomBytes(207 * 1_024).toString('base64'))
    const body = gzipSync(text)
    const head = Buffer.from(`${HEAD}Content-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`)
    const end = await flooded(Buffer.concat([head, body]), { hosts: 60 })

    expect(end).toMatchObject({ requests: 60, heldBytes: 0, failures: [] })
    expect(end.pages).toBe(60)
    expect(end.peakBytes).toBeLessThan(DEFAULTS.bodyBudgetBytes + 128 * MIB)
  })

  it('with a hundred bodies of 9 MiB that never end', { timeout: 90_000 }, async () => {
    const head = Buffer.from(`${HEAD}Content-Length: ${9 * MIB + 1}\r\n\r\n`)
    const end = await flooded(Buffer.concat([head, Buffer.alloc(9 * MIB, 'b')]), { hosts: 100, exchanges: 110 })

    expect(end.requests).toBeGreaterThanOrEqual(100)
    expect(end.heldBytes).toBe(0)
    expect(end.peakBytes).toBeLessThan(DEFAULTS.bodyBudgetBytes + 128 * MIB)
  })
})
