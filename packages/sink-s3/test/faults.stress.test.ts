// Kills and faults at every request and around every mark: whatever happened, each item is in the objects once when a later run has finished.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { s3 } from '../src/index.ts'
import { driveSink, sinkItem, type SinkProgress } from '@avocet/testkit/contracts'
import { KEY_ID, S3Server, SECRET, type Fault } from './s3-server.ts'

let store: S3Server
beforeEach(async () => {
  store = await S3Server.start()
})
afterEach(() => store.close())

const LONG = 'x'.repeat(900_000)
// Two objects in one request each, and one in parts.
const items = Array.from({ length: 18 }, (_, n) => sinkItem(n + 1, n < 12 ? { n: n + 1 } : { n: n + 1, text: LONG }))

/** Throws at the request or mark with that number, and at all that follow: a process that was killed does nothing any more. */
async function crawl(kept: SinkProgress, killedAt: number): Promise<boolean> {
  let steps = 0
  const step = (): void => {
    if (++steps >= killedAt) throw new TypeError('killed')
  }
  const dying: typeof fetch = async (request, init) => {
    step()
    const response = await fetch(request, init)
    step()
    return response
  }
  const sink = s3({
    ...{ bucket: 'harvest', prefix: 'teas', endpoint: store.endpoint, gzip: false, maxBytes: 80, fetch: dying },
    credentials: { accessKeyId: KEY_ID, secretAccessKey: SECRET },
  })
  return driveSink(sink, items, { kept, keeping: step, batch: 6 }).then(
    () => true,
    () => false,
  )
}

const numbers = (): number[] =>
  [...store.objects]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, { body }]) => body.toString().trim().split('\n'))
    .map((line) => (JSON.parse(line) as { n: number }).n)
const expected = items.map(({ seq }) => seq)

describe('a crawl that is killed', () => {
  it('has each item in its objects once, and no upload left, wherever it was killed', async () => {
    let kills = 0
    for (let killedAt = 1; ; killedAt++) {
      store.objects.clear()
      const kept: SinkProgress = { refused: new Map() }
      if (await crawl(kept, killedAt)) break
      kills++
      await crawl(kept, 1 + (killedAt % 11))

      expect(await crawl(kept, Infinity)).toBe(true)

      expect(numbers(), `killed at step ${killedAt}`).toEqual(expected)
      expect(store.uploads.size).toBe(0)
    }
    expect(kills).toBeGreaterThan(20)
  })
})

describe('a store that fails', () => {
  const faults: readonly Fault[] = [
    'cut',
    'lose',
    { status: 503, code: 'SlowDown' },
    { status: 500, code: 'InternalError' },
    'garbage',
  ]

  it.each(faults.map((fault) => [typeof fault === 'string' ? fault : fault.code, fault] as const))(
    'at every request in turn, by %s, has each item once',
    async (_, fault) => {
      const failed = new Set<number>()
      let requests = 0
      for (let wanted = 1; wanted <= 18; wanted++) {
        store.objects.clear()
        requests = 0
        store.faultOf = () => {
          if (++requests !== wanted) return undefined
          failed.add(wanted)
          return fault
        }
        const kept: SinkProgress = { refused: new Map() }
        let runs = 0
        while (!(await crawl(kept, Infinity)) && runs++ < 3);

        expect(numbers(), `request ${wanted}`).toEqual(expected)
        expect(store.uploads.size).toBe(0)
      }
      expect(failed.size).toBeGreaterThan(8)
    },
  )
})
