// A store of which one page is damaged, each page in turn: whatever is asked of it answers, or says that the store is damaged.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf, type Fingerprint, type Frontier, type NewRequest, type HostLease } from '@avocet/core/store'
import { openReader, sqlite } from '@avocet/plugin-sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from './stores.ts'

const SPEC = { name: 'damaged', hostKeying: 'host' }
const PAGE_BYTES = 16_384
const FETCHED = { at: 1, status: 200, durationMs: 1, wireBytes: 1 }

function request(n: number): NewRequest {
  const hostKey = `h${n % 5}.example`
  const fingerprint = String(n).padStart(16, '0') as Fingerprint
  return { fingerprint, hostKey, url: `https://${hostKey}/${n}`, handler: 'start', depth: 0, priority: n % 3 }
}

async function settle(frontier: Frontier, lease: HostLease, said: (error: unknown) => void): Promise<void> {
  const units = lease.requests.map(({ id }) => {
    const items = [{ json: '{"n":1}' }]
    return {
      lease,
      requestId: id,
      outcome: { kind: 'done', fetched: FETCHED } as const,
      links: [request(1_000 + id)],
      items,
    }
  })
  const results = await frontier.commit(units)
  for (const result of results) if (result.status === 'rejected') said(new Error(`rejected: ${result.error}`))
  await frontier.release([{ lease, rest: { readyAt: 0, memory: { core: 'x'.repeat(5_000) } } }])
}

async function made(path: string): Promise<Buffer> {
  const frontier = sqlite(path, { synchronous: 'normal' })
  await frontier.open(SPEC, 0)
  await frontier.add(Array.from({ length: 300 }, (_, n) => request(n)))
  const { leases } = await frontier.lease({ now: 1, hosts: 4, requestsPerHost: 9 })
  for (const lease of leases) await settle(frontier, lease, () => {})
  await frontier.close()
  return readFileSync(path)
}

/** Codes of all errors, or what they say where they have none, of everything that a crawl and its readers ask. */
async function errorsOf(path: string): Promise<Set<string>> {
  const said = new Set<string>()
  const heard = (error: unknown): void =>
    void said.add(error instanceof Error && 'code' in error ? String(error.code) : messageOf(error))
  const ask = async <Answer>(question: () => Answer | Promise<Answer>): Promise<Answer | undefined> => {
    try {
      return await question()
    } catch (error) {
      heard(error)
      return undefined
    }
  }
  const reader = await ask(() => openReader(path))
  for (const question of [
    () => reader?.info(),
    () => reader?.counts(),
    () => reader?.hosts({ limit: 99 }),
    () => reader?.requests({ url: 'https://h1.example/1' }),
    () => reader?.requests({ limit: 999 }),
    () => reader?.failures(),
    () => reader?.items({ afterSeq: 0, limit: 999 }),
  ])
    await ask<unknown>(question)
  await reader?.close()
  const frontier = sqlite(path, { synchronous: 'normal' })
  if ((await ask(() => frontier.open(SPEC, 1))) === undefined) return said
  await ask(() => frontier.add([request(900)]))
  const leased = await ask(() => frontier.lease({ now: 2, hosts: 9, requestsPerHost: 5 }))
  await ask(() => [frontier.sharing?.changedElsewhere(), frontier.sharing?.share(2)])
  for (const lease of leased?.leases ?? []) await ask(() => settle(frontier, lease, heard))
  await ask(() => frontier.sinks.keep({ name: 'out', written: 1, mark: { itemSeq: 1 } }))
  await ask(() => frontier.close())
  return said
}

describe('a store with one damaged page', () => {
  it.each([
    ['nothing but ones', 0, 0xff],
    ['blanks in its second half', PAGE_BYTES / 2, 0x20],
    ['blanks in its first bytes', 64, 0x20],
  ])(
    'of %s is called damaged by whatever meets it, and nothing else is said',
    async (_how, from, byte) => {
      const folder = temporaryFolder()
      onTestFinished(() => folder.dispose())
      const path = join(folder.path, 'store.db')
      const sound = await made(path)

      const said = new Map<string, number[]>()
      for (let page = 2; page <= sound.length / PAGE_BYTES; page++) {
        const bytes = Buffer.from(sound)
        bytes.fill(byte, (page - 1) * PAGE_BYTES + from, page * PAGE_BYTES)
        for (const companion of ['-wal', '-shm']) rmSync(path + companion, { force: true })
        writeFileSync(path, bytes)
        for (const code of await errorsOf(path)) said.set(code, [...(said.get(code) ?? []), page])
      }
      expect([...said.keys()]).toEqual(['AVO_FRONTIER_CORRUPT'])
      expect(said.get('AVO_FRONTIER_CORRUPT')?.length).toBeGreaterThan(10)
    },
    60_000,
  )
})
