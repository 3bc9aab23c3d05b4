// Which page is asked again for a secret, by what the store knows.
import { describe, expect, it } from 'vitest'
import type { FrontierReader, RequestRecord } from '../../src/frontier-reader.ts'
import { sourceOf } from '../../src/secret-renewal/secret-sources.ts'
import { Secrets } from '../../src/secrets/secrets.ts'

const SHOP = 'https://shop.test'
const CHILD = `${SHOP}/a?sid=__secret__`

const record = (path: string, more: Partial<RequestRecord> = {}): RequestRecord => ({
  id: 1,
  url: SHOP + path,
  handler: 'start',
  hostKey: 'shop.test',
  state: 'done',
  depth: 0,
  priority: 0,
  attempts: 0,
  freeAttempts: 0,
  ...more,
})

const source = (records: readonly RequestRecord[]): ReturnType<typeof sourceOf> => {
  const history: FrontierReader['history'] = (url) => Promise.resolve(records.filter((each) => each.url === url))
  const secrets = new Secrets(['sid'])
  return sourceOf({ reader: { history }, secrets }, { url: CHILD, name: 'sid', isSpent: () => false })
}

const child = record('/a?sid=__secret__', { state: 'waiting', depth: 2, parent: `${SHOP}/list` })

describe('the page that is asked again for a secret', () => {
  it('is the nearest one above that was visited', async () => {
    const home = record('/')
    const list = { depth: 1, parent: `${SHOP}/` }

    expect(await source([child, record('/list', list), home])).toEqual({ url: `${SHOP}/list`, depth: 1, isVisited: true })
    expect(await source([child, record('/list', { ...list, state: 'failed' }), home])).toMatchObject({ url: `${SHOP}/` })
    expect(await source([child, record('/list', { ...list, state: 'waiting' }), home])).toMatchObject({ url: `${SHOP}/` })
  })
})
