// What a body costs while it comes: its bytes, into however many pieces a server cuts them.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { BodyPieces } from '../../src/http/body-pieces.ts'
import { fetcherOf, onRequest, outbound, tcp } from './web.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

function heldBytes(): number {
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

describe('a body under way', () => {
  it('of a million chunks of one byte holds megabytes, not hundreds of them', async () => {
    const sent = Promise.withResolvers<void>()
    const site = await tcp((socket) => {
      onRequest(socket, () => {
        socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')
        socket.write('1\r\na\r\n'.repeat(1_000_000), () => sent.resolve())
      })
    })
    const before = heldBytes()
    const ended = Promise.withResolvers<void>()
    const abort = fetcherOf().fetch(outbound(site), {
      sent() {},
      headers: () => 'read',
      done: () => ended.resolve(),
      failed: () => ended.resolve(),
    })
    await sent.promise

    expect(heldBytes() - before).toBeLessThan(40_000_000)
    abort()
  })
})

describe('pieces of a body', () => {
  const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, n) => (n * 7) & 255))

  it.each([
    ['of one byte', [1]],
    ['of a kilobyte', [1_024]],
    ['of the size of a block, and one more', [16_384, 16_385]],
    ['small and large in turns', [1, 5_000, 3, 1_023, 1_024, 1_025, 40_000]],
  ])('%s are the body again, in order', (_what, sizes) => {
    const pieces = new BodyPieces()
    for (let at = 0, n = 0; at < bytes.length; n++) {
      const size = sizes[n % sizes.length] ?? 1
      pieces.push(bytes.subarray(at, at + size))
      at += size
    }

    expect(pieces.take(bytes.length).equals(bytes)).toBe(true)
    expect(pieces.take(0)).toHaveLength(0)
  })

  it('of which fewer bytes are wanted give the first of them', () => {
    const pieces = new BodyPieces()
    for (let n = 0; n < 200; n++) pieces.push(Buffer.of(n))

    expect([...pieces.take(150)]).toEqual(Array.from({ length: 150 }, (_, n) => n))
  })

  it('that is one stays the one that came', () => {
    const pieces = new BodyPieces()
    pieces.push(bytes)

    expect(pieces.take(bytes.length)).toBe(bytes)
  })
})
