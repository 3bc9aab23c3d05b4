// A reader that leaves early, as `head` does, has not taken what it did not read: nothing of it is lost, and the exit code says that the crawl stopped.
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { smallSite, type SmallSite } from '../small-site.ts'

const BIN = fileURLToPath(new URL('../../bin/avocet.js', import.meta.url))
const QUICK = '--rate fixed --delay 0 --max-per-host 8 --store c.db'
let folder: string
let site: SmallSite

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-closed-'))
  site = await smallSite(40)
})
afterEach(async () => {
  site.close()
  await rm(folder, { recursive: true })
})

/** What a shell makes of a line in which `avocet` is the command: pipes are real there. The exit code is the one of `avocet`. */
async function shell(
  line: string,
): Promise<{ readonly code: number; readonly lines: readonly string[]; readonly stderr: string }> {
  const script = `avocet() { ${process.execPath} --conditions=@avocet/source ${BIN} "$@"; }\n${line}\necho "\${PIPESTATUS[0]}" > code`
  const child = spawn('bash', ['--norc', '-c', script], { cwd: folder, timeout: 20_000, env: { ...process.env, NO_COLOR: '1' } })
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: Number(await readFile(join(folder, 'code'), 'utf8')), lines: stdout.split('\n').slice(0, -1), stderr }
}

describe('standard output that is closed early', () => {
  it.each(['-o -', '-O -'])('loses no item of %s: the next run prints what was not read', { timeout: 30_000 }, async (output) => {
    const first = await shell(`avocet crawl ${site.url} ${QUICK} ${output} | head -n 2`)
    const second = await shell(`avocet crawl ${site.url} ${QUICK} ${output} | cat`)

    expect(first.lines).toHaveLength(2)
    expect(first.code).toBe(141)
    expect(first.stderr).toContain('stopped: standard output was closed; to resume, run the same command again (store: c.db)\n')
    expect(second.lines.slice(0, 2)).toEqual(first.lines)
    expect(new Set(second.lines).size).toBe(40)
    expect(second.code).toBe(0)
  })

  it('is told from one that was read to its end: -o - prints only what is new, -O - all items', { timeout: 30_000 }, async () => {
    const some = await shell(`avocet crawl ${site.url} ${QUICK} -o - --max-pages 10 | cat`)
    const rest = await shell(`avocet crawl ${site.url} ${QUICK} -o - > rest.jsonl`)
    const all = await shell(`avocet crawl ${site.url} ${QUICK} -O - | cat`)
    const none = await shell(`avocet crawl ${site.url} ${QUICK} -o - | cat`)
    const written = (await readFile(join(folder, 'rest.jsonl'), 'utf8')).split('\n').slice(0, -1)

    expect([some, rest, all, none].map(({ code }) => code)).toEqual([5, 0, 0, 0])
    expect([...some.lines, ...written]).toEqual(all.lines)
    expect(new Set(all.lines).size).toBe(40)
    expect(none.lines).toEqual([])
  })

  it('ends every command with 141, and without a word', { timeout: 30_000 }, async () => {
    await shell(`avocet crawl ${site.url} ${QUICK}`)

    expect(await shell('avocet export c.db | head -n 1')).toMatchObject({ code: 141, lines: [expect.any(String)], stderr: '' })
    expect(await shell('avocet status c.db | true')).toEqual({ code: 141, lines: [], stderr: '' })
  })
})

describe('a reader that is there and does not read', () => {
  const stuck = `mkfifo stuck; sleep 15 < stuck & reader=$!`

  it('delays no file, and the second signal leaves without it', { timeout: 30_000 }, async () => {
    const big = `export default { name: 'big', seeds: ['${site.url}'], handlers: { *start(page) { yield { u: page.url.href, x: 'y'.repeat(9000) }; yield* page.links() } } }`
    await writeFile(join(folder, 'big.mjs'), big)
    const words = `${process.execPath} --conditions=@avocet/source ${BIN} crawl big.mjs ${QUICK} --every 1h -o - -O x.jsonl`

    const { lines } = await shell(`${stuck}
      ${words} > stuck & crawl=$!
      for i in $(seq 80); do [ "$(wc -l < x.jsonl)" = 40 ] && break; sleep 0.1; done 2> /dev/null
      wc -l < x.jsonl; kill -INT $crawl; sleep 1; kill -INT $crawl; wait $crawl; echo $?; kill $reader`)

    expect(lines).toEqual(['40', '130'])
  })

  it('and that the signal ends too has lost nothing: the next run prints it', { timeout: 30_000 }, async () => {
    const words = `${process.execPath} --conditions=@avocet/source ${BIN} crawl ${site.url} ${QUICK}`
    const { lines } = await shell(`${stuck}
      ${words} --every 1h -o - > stuck & crawl=$!
      sleep 5; kill $reader; kill -INT $crawl; wait $crawl; echo $?`)
    const second = await shell(`avocet crawl ${site.url} ${QUICK} -o - | cat`)

    expect(lines).toEqual(['130'])
    expect(new Set(second.lines).size).toBe(40)
  })
})
