// `avocet pause`, `resume`, `stop`, `host` and `add`: on a crawl that another process runs, and on one that nobody runs.
import type { ChildProcess } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { readStore } from '../../../project/src/store/open-store.ts'
import { runCli, spawnCli, type CliRun } from '../run-cli.ts'
import { smallSite, type SmallSite } from '../small-site.ts'
import { going, quiet } from './requests-of.ts'

let folder: string
let site: SmallSite
let host: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-control-'))
  site = await smallSite(100_000)
  host = new URL(site.url).host
})
afterEach(async () => {
  site.close()
  await rm(folder, { recursive: true })
})

function avocet(...words: readonly string[]): Promise<CliRun> {
  return runCli(words, { folder })
}

/** A crawl in a process of its own, which has asked for a few pages. */
async function crawling(...words: readonly string[]): Promise<{ process: ChildProcess; ended: Promise<CliRun> }> {
  let process: ChildProcess | undefined
  const all = ['crawl', site.url, '--store', 'a.db', '-O', 'a.jsonl', '--delay', '20ms', '--rate', 'none', ...words]
  const ended = spawnCli(all, { folder, meanwhile: (child) => (process = child) })
  await going(site, 3)
  if (process === undefined) throw new Error('expected a process')
  return { process, ended }
}

describe('a crawl that another process runs', () => {
  it('is paused, resumed and stopped', async () => {
    const { ended } = await crawling()

    const paused = await avocet('pause', 'a.db')
    await quiet(site)
    const status = await avocet('status', 'a.db')
    await avocet('resume', 'a.db')
    await going(site)
    const stopped = await avocet('stop', 'a.db')
    const again = await avocet('stop', 'a.db')
    const { code, stderr } = await ended

    expect(stopped.stderr).toMatch(/^waiting for the end of process \d+\n$/)
    expect(again.stdout).toBe('nothing to stop: no process crawls a.db\n')
    expect(paused).toMatchObject({
      code: 0,
      stdout: 'paused; avocet resume a.db continues the crawl\nthe process that crawls a.db follows within a second\n',
    })
    expect(status.stdout).toContain('paused; avocet resume continues it')
    expect(stopped.stdout).toBe('asked to stop\n1 process of a.db ended\n')
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('stopped') as string })
  })

  it('ends, also where a process dies as it is asked to stop', async () => {
    const slow = await smallSite(100_000, 3_000)
    const words = ['crawl', slow.url, '--store', 'b.db', '--delay', '20ms', '--rate', 'none', '--processes', '2']
    const ended = runCli(words, { folder })
    await vi.waitFor(() => expect(slow.asked.length).toBeGreaterThan(1), 15_000)
    const { processes } = JSON.parse((await avocet('status', 'b.db', '--json')).stdout) as {
      processes: { pid: number; hosts: number }[]
    }

    const stopped = avocet('stop', 'b.db')
    await vi.waitFor(async () => expect(await readStore(join(folder, 'b.db'), (reader) => reader.orders(0))).toHaveLength(1))
    const [busy] = processes.toSorted((a, b) => b.hosts - a.hosts)
    if (busy !== undefined) process.kill(busy.pid, 'SIGKILL')
    const { code, stderr } = await ended
    await stopped
    slow.close()

    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('asked to stop') as string })
  })

  it('has a host paused, which survives a kill and the next run, until it is resumed', async () => {
    const first = await crawling()
    await avocet('host', 'pause', host, 'a.db')
    await quiet(site)
    first.process.kill('SIGKILL')
    await first.ended

    const before = site.asked.length
    const second = await avocet('crawl', site.url, '--store', 'a.db', '--delay', '20ms', '--rate', 'none', '--max-time', '2s')
    const why = await avocet('why', host, '--store', 'a.db')
    const hosts = await avocet('hosts', 'a.db')
    await avocet('host', 'resume', site.url, 'a.db')
    const third = await crawling()
    await avocet('stop', 'a.db')

    expect(second.code).toBe(5)
    expect(why.stdout).toMatch(/operator +until it is resumed: paused/)
    expect(hosts.stdout).toMatch(/ paused: by an operator\n/)
    expect(site.asked.length).toBeGreaterThan(before)
    expect((await third.ended).code).toBe(0)
  })
})

describe('a crawl that nobody runs', () => {
  beforeEach(async () => {
    await avocet('crawl', site.url, '--store', 'a.db', '--max-pages', '2', '--delay', '20ms', '--rate', 'none')
  })

  it('has limits of a host and pages added, for the next run', async () => {
    const limited = await avocet('host', 'set', host, 'a.db', '--max-rps', '50', '--delay', 'default')
    const added = await avocet('add', `${site.url}77`, '--store', 'a.db')
    const twice = await avocet('add', `${site.url}77`, `${site.url}77`, site.url, '--store', 'a.db', '--json')
    const listed = await avocet('hosts', 'a.db', '--json')

    await avocet('crawl', site.url, '--store', 'a.db', '--max-pages', '8', '--delay', '20ms', '--rate', 'none')

    expect(limited.stdout).toContain(`${host}: at most 50 requests per second, delay as configured\n`)
    expect(added.stdout).toBe('1 URL added\nno process crawls a.db now: the next run follows\n')
    // No run has offered the first one yet.
    expect(JSON.parse(twice.stdout)).toMatchObject({
      known: 1,
      control: { seeds: [{ url: `${site.url}77` }, { url: site.url }] },
    })
    expect((await avocet('add', `${site.url}77`, '--store', 'a.db')).stdout).toContain(
      '1 URL is already known, and not added again\n',
    )
    expect(JSON.parse(listed.stdout)).toMatchObject({ paused: false, hosts: [{ hostKey: host, limits: { maxRps: 50 } }] })
    expect(site.asked).toContain('/77')
  })

  it('says of an added page that the store has met no handler of the name that it was given', async () => {
    const { stdout } = await avocet('add', 'http://a.test/', '--handler', 'prodct', '--store', 'a.db')
    const other = await avocet('add', site.url, '--handler', 'offer', '--store', 'a.db')
    expect(other.stdout).toContain(
      'the store has a URL of these with the handler start; it is requested for both handlers from now on\n',
    )

    expect(stdout.split('\n').at(-2)).toBe(
      'no page of the store has the handler prodct: the URL waits until a run has a handler of that name',
    )
  })

  it('keeps no value of a secret parameter of a page that is added, and says who has to supply it', async () => {
    await avocet('crawl', site.url, '--store', 'a.db', '--max-pages', '1', '--secret-parameter', 'key')
    const added = await avocet('add', `${site.url}77?key=S3CRET-S3CRET`, '--store', 'a.db')
    const json = await avocet('add', `${site.url}78?key=S3CRET-S3CRET`, '--store', 'a.db', '--json')

    expect(added.stdout.split('\n').at(-2)).toBe(
      'values of secret parameters are in no store: a seed of the crawl has to supply them',
    )
    expect(json.stdout).not.toContain('S3CRET')
    expect(await readFile(join(folder, 'a.db'), 'latin1')).not.toContain('S3CRET')
  })

  it('has nothing to stop: the next run is not stopped', async () => {
    const stopped = await avocet('stop', 'a.db')
    const json = await avocet('stop', 'a.db', '--json')

    expect(stopped).toMatchObject({ code: 0, stdout: 'nothing to stop: no process crawls a.db\n' })
    expect(JSON.parse(json.stdout)).toEqual({ schema: 1, control: { kind: 'stop' }, processes: 0, ordered: false })
  })

  it('knows a host however it is spelled, and refuses one that the store does not know unless it is ordered ahead', async () => {
    const [name, port] = host.split(':')
    const meant = await avocet('host', 'pause', name ?? '', 'a.db')
    const known = await avocet('host', 'pause', `http://${name?.replace('127.0.0.1', '127.1')}:${port}`, 'a.db')
    const refused = await avocet('host', 'pause', 'MÜNCHEN.example', 'a.db')
    const ahead = await avocet('host', 'pause', 'MÜNCHEN.example:80', 'a.db', '--ahead')

    expect(meant).toMatchObject({ code: 2, stderr: expect.stringContaining(`got '${name}' (did you mean '${host}'?)`) as string })
    expect(known.stdout).toContain(`${host}: paused until it is resumed\n`)
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("got 'xn--mnchen-3ya.example'") as string })
    expect(ahead.stdout).toContain('xn--mnchen-3ya.example: paused until it is resumed\n')
  })
})

describe('what was typed', () => {
  it.each<[string[], string]>([
    [['host'], 'expected pause, resume, set or forget, got nothing'],
    [['host', 'puase', 'a.test'], "did you mean 'pause'"],
    [['host', 'pause'], 'expected a host such as shop.example, got nothing'],
    [['host', 'set', 'a.test'], 'a limit to set (--max-rps, --max-in-flight or --delay), got none'],
    [['host', 'pause', 'a.test', '--for', '0'], "a duration longer than none for --for, got '0'"],
    [['host', 'pause', 'shop.example.'], "the name of a host such as shop.example, got 'shop.example.'"],
    [['host', 'pause', 'a..b'], "got 'a..b'"],
    [['host', 'set', 'a.test', '--max-rps', 'fast'], "got 'fast'"],
    [['host', 'set', 'a.test', '--max-in-flight', '0'], "got '0'"],
    [['host', 'set', 'a.test', '--for', '2h'], 'got --for; it is for avocet host pause'],
    [['host', 'pause', 'a.test', '--max-rps', '1'], 'got --max-rps; it is for avocet host set'],
    [['add'], 'expected URLs to crawl, got nothing'],
    [['add', 'http://a.test/', '--handler', ''], 'the name of a handler, got nothing'],
  ])('%j is refused in one line', async (words, expected) => {
    const { code, stderr } = await avocet(...words)

    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(expected) as string })
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })

  it('is refused where it is no URL that can be crawled', async () => {
    const { code, stderr } = await avocet('add', 'ftp://shop.example/')

    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('ftp://shop.example/') as string })
  })

  it('is refused where there is no store', async () => {
    expect(await avocet('pause', 'none.db')).toMatchObject({ code: 7, stdout: '' })
  })
})
