// A request that is taken back in the tick in which it would be written is not written.
import { describe, expect, it } from 'vitest'
import { exchange, fetcherOf, ok, onRequest, outbound, tcp, textOf } from './web.ts'

describe('a request that its receiver ends when it is about to be written', () => {
  it.each(['GET', 'POST'])('is not written: %s', async (method) => {
    const seen: string[] = []
    const site = await tcp((socket) => {
      socket.prependListener('data', (chunk: Buffer) => seen.push(chunk.toString('latin1').split(' ', 2).join(' ')))
      onRequest(socket, () => socket.write(ok('home')))
    })
    const fetcher = fetcherOf()
    let abort: () => void = () => {}

    await new Promise<void>((taken) => {
      const sent = (): void => {
        abort()
        taken()
      }
      const receiver = { sent, headers: () => 'read' as const, done: () => {}, failed: () => {} }
      abort = fetcher.fetch(outbound(`${site}/taken-back`, { method }), receiver)
    })

    expect(textOf(await exchange(fetcher, `${site}/next`))).toBe('home')
    expect(seen).toEqual(['GET /next'])
  })
})
