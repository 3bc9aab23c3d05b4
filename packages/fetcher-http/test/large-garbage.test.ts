// When garbage of large bodies is collected: by how much there is, and how large the heap is that is alive.
import { describe, expect, it } from 'vitest'
import { LargeGarbage } from '../src/large-garbage.ts'

const MIB = 2 ** 20

/** `heapMib` is alive, `externalMib` in use outside; tells after which body of 16 MiB there was a collection. */
function collectedAfter({ heapMib, externalMib }: { heapMib: number; externalMib: number }, bodies: number): number[] {
  const collected: number[] = []
  let body = 1
  const garbage = new LargeGarbage({
    collect: () => void collected.push(body),
    used: () => ({ heapUsed: heapMib * MIB, external: externalMib * MIB }),
    soon: (work) => work(),
  })
  for (; body <= bodies; body++) garbage.leaveBehind(16 * MIB)
  return collected
}

describe('garbage of large bodies', () => {
  it('is collected after each 48 MiB', () => {
    expect(collectedAfter({ heapMib: 30, externalMib: 100 }, 9)).toEqual([3, 6, 9])
  })

  it('is left to V8 while less than 128 MiB are in use', () => {
    expect(collectedAfter({ heapMib: 30, externalMib: 97 }, 9)).toEqual([])
  })

  it('is collected after as many bytes as are alive in a large heap', () => {
    expect(collectedAfter({ heapMib: 160, externalMib: 0 }, 33)).toEqual([3, 13, 23, 33])
  })

  it('of bodies below a MiB is left to V8', () => {
    const garbage = new LargeGarbage({
      collect: () => expect.unreachable(),
      used: () => ({ heapUsed: 500 * MIB, external: 0 }),
      soon: (work) => work(),
    })
    for (let body = 0; body < 1_000; body++) garbage.leaveBehind(MIB - 1)
  })
})
