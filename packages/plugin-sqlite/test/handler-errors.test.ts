// Kinds of errors in the user's code, where several processes name them.
import { join } from 'node:path'
import { failure, fingerprintOf, MAX_ERROR_GROUPS, OTHER_ERRORS, type Frontier, type NewRequest } from '@avocet/core/store'
import { openReader, sqlite } from '@avocet/plugin-sqlite'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from './stores.ts'

const SPEC = { name: 'errors', hostKeying: 'host' }

let path: string

beforeEach(() => {
  const made = temporaryFolder()
  onTestFinished(() => made.dispose())
  path = join(made.path, 'store.db')
})

function request(host: string, n: number): NewRequest {
  const url = `https://${host}/${n}`
  return {
    fingerprint: fingerprintOf({ method: 'GET', canonicalUrl: url, handler: 'start' }),
    hostKey: host,
    url,
    handler: 'start',
    depth: 0,
    priority: 0,
  }
}

async function opened(): Promise<Frontier> {
  const frontier = sqlite(path)
  await frontier.open(SPEC, 0)
  return frontier
}

/** Fails a page of `host` with each of `messages`, in one commit each. */
async function failPages(frontier: Frontier, host: string, messages: readonly string[]): Promise<void> {
  await frontier.add(messages.map((_, n) => request(host, n)))
  const { leases } = await frontier.lease({ now: 0, hosts: 1, requestsPerHost: 1_000 })
  const [lease] = leases
  if (lease === undefined) throw new Error('expected a host')
  for (const [index, message] of messages.entries()) {
    const handlerError = { code: 'AVO_HANDLER_THREW', message } as const
    const why = failure('AVO_HANDLER_THREW', message, { phase: 'handler', sent: true, handlerError })
    const fetched = { at: 40, status: 200, durationMs: 9, wireBytes: 12 }
    const outcome = { kind: 'failed', reason: 'handler-threw', failure: why, fetched } as const
    const { id } = lease.requests[index] ?? {}
    await frontier.commit([{ lease, links: [], items: [], ...(id !== undefined && { requestId: id, outcome }) }])
  }
  await frontier.release([{ lease, rest: { readyAt: 0, memory: {} } }])
}

const kinds = (count: number, letter: string): string[] =>
  Array.from({ length: count }, (_, n) => `Error: ${letter.repeat(n + 1)}`)

async function countsOf(at = path): Promise<{ readonly names: string[]; readonly pages: number }> {
  const reader = await openReader(at)
  const groups = (await reader.problems()).handlerErrors
  await reader.close()
  return { names: groups.map(({ message }) => message), pages: groups.reduce((sum, { count }) => sum + count, 0) }
}

describe('kinds of errors', () => {
  it('that one process let go are named anew by another that had named them, so that each page counts', async () => {
    const [one, other] = [await opened(), await opened()]
    await failPages(one, 'a.example', ['Error: of both', 'Error: y'])
    await failPages(other, 'b.example', kinds(MAX_ERROR_GROUPS, 'x'))
    await failPages(one, 'c.example', ['Error: of both', 'Error: y'])
    await one.close()
    await other.close()

    const { names, pages } = await countsOf()
    expect(pages).toBe(MAX_ERROR_GROUPS + 4)
    expect(names).toHaveLength(MAX_ERROR_GROUPS + 1)
    expect(names).toEqual(expect.arrayContaining(['Error: of both', 'Error: y', OTHER_ERRORS.message]))
  })
})
