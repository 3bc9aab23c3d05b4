// Commands that change a crawl on a server, whose URL names none: they mean the one that commands that read it mean.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listCrawls, postgresFrontier } from '@avocet/plugin-postgres'
import { postgresMissing, postgresDatabase, type TestPostgres } from '@avocet/stress/postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCli } from './run-cli.ts'

const missing = postgresMissing()

describe.skipIf(missing !== undefined)(`a URL that names no crawl ${missing ?? ''}`, { timeout: 60_000 }, () => {
  let server: TestPostgres
  let folder: string

  const names = async (): Promise<readonly string[]> => (await listCrawls(server.url)).map(({ name }) => name)
  const codeOf = async (store: readonly string[]): Promise<number | null> =>
    (await runCli(['failed', 'retry', ...store, '--class', 'handler'], { folder })).code
  const made = async (name: string): Promise<void> => {
    const frontier = postgresFrontier(server.url)
    await frontier.open({ name, hostKeying: 'host' }, 0)
    await frontier.close()
  }

  beforeAll(async () => {
    server = await postgresDatabase()
    folder = await mkdtemp(join(tmpdir(), 'avocet-only-'))
  })
  afterAll(async () => {
    await server.stop()
    await rm(folder, { recursive: true })
  })

  it('means the only one to commands that change it, typed or configured, and is refused where there are several', async () => {
    const ofNone = await codeOf([server.url])
    const namesOfNone = await names()
    await made('teas')
    const typed = await codeOf([server.url])
    await writeFile(join(folder, 'avocet.config.ts'), `export default { store: ${JSON.stringify(server.url)} }\n`)
    const configured = await codeOf([])
    const ofOne = await names()
    await made('cups')
    const ofTwo = await codeOf([server.url])

    expect(ofNone).toBe(7)
    expect(namesOfNone).toEqual([])
    expect(typed).toBe(0)
    expect(configured).toBe(0)
    expect(ofOne).toEqual(['teas'])
    expect(ofTwo).toBe(2)
    expect(await names()).toEqual(['cups', 'teas'])
  })
})
