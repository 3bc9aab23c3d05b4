// Requests of a dump are numbered without gaps, whatever the server's sequence left out.
import { describe, expect, it } from 'vitest'
import { DenseIds } from '../src/read/dumped-requests.ts'

describe('dense ids', () => {
  it('count what is there, and skip what is not', async () => {
    const runs = [
      { first: 2, last: 3 },
      { first: 7, last: 7 },
      { first: 10, last: 12 },
    ]
    const ids = await DenseIds.read({ all: <Row>() => Promise.resolve(runs as Row[]) })

    expect([2, 3, 7, 10, 11, 12].map((id) => ids.of(id))).toEqual([1, 2, 3, 4, 5, 6])
  })

  it('are those of the server where it left none out', async () => {
    const ids = await DenseIds.read({ all: <Row>() => Promise.resolve([{ first: 1, last: 9 }] as Row[]) })

    expect([1, 5, 9].map((id) => ids.of(id))).toEqual([1, 5, 9])
  })
})
