// Takes the page on PostgreSQL at its word: saves its files, types its commands, and runs its SQL, against a site and a server on this machine.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { VirtualClock, quotes } from '@avocet/simulator'
import { postgres } from '@avocet/sink-postgres'
import { spawnRoughWeb } from '@avocet/stress/rough-web'
import { postgresMissing, startPostgres } from '@avocet/stress/postgres'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { codeBlocks, ROOT } from './documents/code-blocks.ts'
import { sandbox } from './documents/sandbox.ts'

const missing = postgresMissing()
const PAGE = 'docs/how-to/write-to-postgresql.md'
const blocks = codeBlocks(PAGE)

describe.skipIf(missing !== undefined)(`${PAGE} ${missing ?? ''}`, () => {
  it('leads to a table with each quote once, however often its command is typed', { timeout: 120_000 }, async () => {
    using place = sandbox()
    const [server, web] = await Promise.all([startPostgres(), spawnRoughWeb(quotes())])
    const client = new pg.Client({ connectionString: server.url })
    try {
      await client.connect()
      for (const { code } of blocks) {
        const [, name] = /^\/\/ ([\w.-]+\.ts)\n/.exec(code) ?? []
        const text = code
          .replace('postgres://localhost/shop', server.url)
          .replace('127.42.0.1:8042', `127.42.0.1:${String(web.port)}`)
        if (name !== undefined) place.write(name, text)
      }
      const [command = '', query = ''] =
        blocks
          .find(({ code }) => code.startsWith('npx avocet crawl'))
          ?.code.trim()
          .split('\n') ?? []
      for (let time = 0; time < 2; time += 1) await typed(command, place.folder)
      const [, sql = ''] = /-c '(.*)'$/.exec(query) ?? []
      const top = await client.query<{ count: string }>(sql)
      const { rows } = await client.query<{ count: string }>(
        'SELECT count(*), count(DISTINCT text) AS texts, avg(length(text) - length) AS off FROM quotes',
      )

      expect(top.rows).toHaveLength(3)
      expect(rows).toEqual([{ count: '100', texts: '100', off: '0.00000000000000000000' }])
    } finally {
      await client.end()
      await Promise.all([server.stop(), web.close()])
    }
  })

  it('names all the rights that a sink needs that makes nothing', async () => {
    const server = await startPostgres()
    const client = new pg.Client({ connectionString: server.url })
    try {
      await client.connect()
      await client.query("CREATE ROLE crawler LOGIN PASSWORD 'pass'; CREATE TABLE quotes (text text)")
      await client.query(blocks.find(({ language }) => language === 'sql')?.code ?? '')
      const url = new URL(server.url)
      url.username = 'crawler'
      url.password = 'pass'
      const sink = postgres({ url: url.href, table: 'quotes', create: false })
      const { signal } = new AbortController()
      const crawl = { name: 'quotes', id: 'c' }

      await sink.open?.({
        crawl,
        signal,
        clock: new VirtualClock(),
        keep: async () => undefined,
        problem: () => undefined,
        notice: () => undefined,
      })
      const json = '{"text":"short"}'
      for (const seq of [2, 1]) {
        const item = { key: `${String(seq)}.0.0`, seq, url: 'http://a.test/', json, value: { text: 'short' } as never }
        await sink.write({ items: [item], mark: { itemSeq: 2 }, signal })
      }
      await sink.close?.()

      expect((await client.query('SELECT text FROM quotes')).rows).toEqual([{ text: 'short' }, { text: 'short' }])
    } finally {
      await client.end()
      await server.stop()
    }
  })
})

/** Runs a command of the page. The packages of the workspace are there already, and its commands are found without npx. */
async function typed(command: string, folder: string): Promise<void> {
  const path = `${join(ROOT, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}`
  const env = { ...process.env, PATH: path, NODE_OPTIONS: '--conditions=@avocet/source', NO_COLOR: '1' }
  await promisify(execFile)('sh', ['-c', command.replace(/^npx /, '')], { cwd: folder, env, timeout: 60_000 })
}
