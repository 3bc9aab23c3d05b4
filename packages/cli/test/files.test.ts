// Files by the command: saved beside the store over real sockets, exported, and left alone by what only looks.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { runCli, type CliRun } from './run-cli.ts'

const JPEG = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(3_000_000, 'tea')])
const PDF = Buffer.from('%PDF-1.7 how to brew')
const BODIES: Readonly<Record<string, readonly [string, Buffer]>> = {
  '/': ['text/html', Buffer.from('<img src="/a.jpg"><img src="/same.jpg"><img src="/manual.pdf"><img src="/page.jpg">')],
  '/a.jpg': ['image/jpeg', JPEG],
  '/same.jpg': ['image/jpeg', JPEG],
  '/manual.pdf': ['application/pdf', PDF],
  '/page.jpg': ['text/html', Buffer.from('<h1>Not found</h1>')],
}
const shaOf = (body: Buffer): string => createHash('sha256').update(body).digest('hex')

let server: Server
let site: string
let folder: string
const asked: string[] = []
/** Several commands, on a machine that does other things. */
const SLOW = 120_000

beforeAll(async () => {
  server = createServer(({ url = '' }, response) => {
    const [type, body] = BODIES[url] ?? []
    asked.push(url)
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': type ?? 'text/plain' }).end(body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  site = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`
})
afterAll(() => server.close())
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'avocet-cli-files-'))
  asked.splice(0)
  mkdirSync(join(folder, 'node_modules/@avocet'), { recursive: true })
  writeFileSync(
    join(folder, 'avocet.config.ts'),
    `import { file } from '${join(import.meta.dirname, '../../plugin-files/src/index.ts')}'
const spider = { name: 'tea', seeds: ['${site}'], handlers: { *start(page) {
  for (const image of page.$('img')) {
    const photo = file(page, page.$(image).attr('src'), { types: ['image/*', 'application/pdf'] })
    yield photo
    yield { photo: photo.ref }
  }
} } }
export default { spider, hosts: { '*': { ignoreRobots: true } } }`,
  )
})
afterEach(() => rmSync(folder, { recursive: true }))

const run = (...words: string[]): Promise<CliRun> => runCli(words, { folder })
interface Row {
  readonly ref: string
  readonly path: string
}
const rows = async (): Promise<readonly Row[]> =>
  (await run('export', '--files')).stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Row]))
const saved = (): readonly string[] =>
  readdirSync(join(folder, '.avocet/tea.files'), { recursive: true, withFileTypes: true })
    .flatMap((entry) => (entry.isFile() ? [entry.name] : []))
    .toSorted()

describe('avocet crawl --files', () => {
  it('saves files beside the store, with a row for each reference, and requests none again', { timeout: SLOW }, async () => {
    const { code, stderr } = await run('crawl', '--files', '-O', 'items.jsonl')
    expect(code, stderr).toBe(0)
    const list = await rows()

    const items = readFileSync(join(folder, 'items.jsonl'), 'utf8').trim().split('\n')
    const photos = items.map((line) => (JSON.parse(line) as { photo: string }).photo)
    expect(stderr).toMatch(/^ {2}files: 2 files \(.*\) for 3 references, 1 failed$/m)
    expect(saved()).toEqual([`${shaOf(JPEG)}.jpg`, `${shaOf(PDF)}.pdf`].toSorted())
    expect([photos.length, photos.filter((photo) => list.some(({ ref }) => ref === photo)).length]).toEqual([4, 3])
    expect(list.every(({ path }) => existsSync(join(folder, '.avocet/tea.files', path)))).toBe(true)
    asked.splice(0)
    await run('crawl', '--files')
    expect(asked).toEqual([])
  })

  it('is told of by status and failed, and exported', { timeout: SLOW }, async () => {
    await run('crawl', '--files')

    expect((await run('status')).stdout).toMatch(/^files {4}2 files \(.*\) for 3 references, 1 failed$/m)
    expect((await run('failed', 'list')).stdout).toMatch(/page\.jpg[^]*file-type/)
    await run('export', '--files', '-O', 'files.csv')
    expect(readFileSync(join(folder, 'files.csv'), 'utf8').trim().split('\n')).toHaveLength(4)
  })
})

describe('avocet replay', () => {
  it('runs handlers over kept responses, and leaves files and their rows as they are', { timeout: SLOW }, async () => {
    await run('crawl', '--files', '--cache')
    const before = [saved(), await rows()]
    asked.splice(0)
    const { code, stderr } = await run('replay', '--files', '-O', 'items.jsonl')

    expect(code, stderr).toBe(0)
    expect(asked).toEqual([])
    expect([saved(), await rows()]).toEqual(before)
    expect(readFileSync(join(folder, 'items.jsonl'), 'utf8').trim().split('\n')).toHaveLength(4)
  })
})

describe('without --files', () => {
  it('the handler is told what is missing, and the page fails', { timeout: SLOW }, async () => {
    const { stderr } = await run('crawl')

    expect(stderr).toMatch(/files: true/)
    expect(await rows()).toEqual([])
  })
})

describe('what only looks', () => {
  it.each(['fetch', 'parse'])('%s writes no file', { timeout: SLOW }, async (command) => {
    writeFileSync(
      join(folder, 'avocet.config.ts'),
      readFileSync(join(folder, 'avocet.config.ts'), 'utf8').replace('hosts:', 'files: true, hosts:'),
    )
    const { code, stdout, stderr } = await run(command, site)

    expect(code, stderr).toBe(0)
    expect(asked).toEqual(['/'])
    expect(existsSync(join(folder, '.avocet/tea.files'))).toBe(false)
    if (command === 'parse') expect(stdout).toMatch(/"photo":\s*"file:[\da-f]{32}"/)
  })
})
