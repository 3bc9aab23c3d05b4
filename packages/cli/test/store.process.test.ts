// Crawls with a store: running again is resuming, a kill loses nothing, and other commands read along.
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli, spawnCli, type CliOptions, type CliRun, type SpawnOptions } from './run-cli.ts'
import { smallSite, type SmallSite } from './small-site.ts'

const QUICK = ['--rate', 'fixed', '--delay', '0', '--max-per-host', '8']
let folder: string
let site: SmallSite | undefined

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-store-'))
})
afterEach(async () => {
  site?.close()
  site = undefined
  await rm(folder, { recursive: true })
})

function avocet(words: readonly string[], options: Partial<CliOptions> = {}): Promise<CliRun> {
  return runCli(words, { folder, ...options })
}

function spawned(words: readonly string[], options: Partial<SpawnOptions>): Promise<CliRun> {
  return spawnCli(words, { folder, ...options })
}

/** URLs of the items in a JSON Lines file. */
async function urlsIn(name: string): Promise<string[]> {
  const text = await readFile(join(folder, name), 'utf8')
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => (JSON.parse(line) as { url: string }).url)
}

async function storePath(): Promise<string> {
  const [name = ''] = (await readdir(join(folder, '.avocet'))).filter((entry) => entry.endsWith('.db'))
  return join(folder, '.avocet', name)
}

describe('running again', () => {
  it('goes on where it stopped, says so, and says how to', async () => {
    site = await smallSite(20)
    const command = ['crawl', site.url, ...QUICK, '-O', 'out.jsonl']

    const first = await avocet([...command, '--max-pages', '5'])
    expect(first.code).toBe(5)
    expect(first.stderr).toContain(`to resume, run the same command again (store: ${relative(folder, await storePath())})`)
    expect(await urlsIn('out.jsonl')).toHaveLength(5)

    const second = await avocet(command)
    expect(second.code).toBe(0)
    expect(second.stderr).toMatch(/^resuming 127\.0\.0\.1-\d+: 5 done, 0 moved, 0 failed, 6 waiting\n/)
    expect(new Set(await urlsIn('out.jsonl')).size).toBe(20)
    expect(site.asked).toHaveLength(20)
  })

  it('does nothing after a finished crawl, but for a new seed', async () => {
    site = await smallSite(3)
    await avocet(['crawl', site.url, ...QUICK])

    const idle = await avocet(['crawl', site.url, ...QUICK])
    expect(idle.stderr).toContain('nothing to do: no known URL is waiting; --fresh starts over')
    expect(idle.code).toBe(0)
    expect(site.asked).toHaveLength(3)

    const more = await avocet(['crawl', site.url, `${site.url}?more`, ...QUICK])
    expect(more.stderr).toContain('this run: 1 page')
    expect(site.asked).toHaveLength(4)
  })

  it('says that the store that was typed is that of another crawl', async () => {
    site = await smallSite(2)
    const other = await smallSite(2)
    try {
      await avocet(['crawl', site.url, ...QUICK, '--store', 'mine.db'])

      const { stderr } = await avocet(['crawl', other.url, ...QUICK, '--store', 'mine.db'])
      const again = await avocet(['crawl', site.url, ...QUICK, '--store', 'mine.db'])

      expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(
        /mine\.db is the store of the crawl 127\.0\.0\.1-\d+, and this is 127\.0\.0\.1-\d+: .* to keep them apart, name another --store/,
      )
      expect(again.stderr).not.toContain('is the store of the crawl')
    } finally {
      other.close()
    }
  })

  it('prints with -o - only what was not printed before', async () => {
    site = await smallSite(10)
    const command = ['crawl', site.url, ...QUICK, '-o', '-']
    const first = await avocet([...command, '--max-pages', '4'])
    const second = await avocet(command)
    expect([first, second].map(({ stdout }) => stdout.split('\n').length - 1)).toEqual([4, 6])
  })

  it('after kill -9 at any moment has every item once in every output', { timeout: 60_000 }, async () => {
    site = await smallSite(400, 20)
    const { asked } = site
    const command = ['crawl', site.url, ...QUICK, '-O', 'out.jsonl', '-O', 'out.json', '-o', 'out.csv']
    let kills = 0
    for (const after of [1, 40, 90, 170, 260, 330]) {
      const killed = await spawned(command, {
        meanwhile: (child) => {
          const watch = setInterval(() => {
            if (asked.length >= after) child.kill('SIGKILL')
          }, 3)
          child.once('exit', () => clearInterval(watch))
        },
      })
      if (killed.code === null) kills += 1
    }
    const last = await avocet(command)

    expect(kills).toBeGreaterThanOrEqual(4)
    expect(last.code).toBe(0)
    const urls = await urlsIn('out.jsonl')
    expect(urls).toHaveLength(400)
    expect(new Set(urls).size).toBe(400)
    const array = JSON.parse(await readFile(join(folder, 'out.json'), 'utf8')) as { url: string }[]
    expect(array.map(({ url }) => url)).toEqual(urls)
    const csv = (await readFile(join(folder, 'out.csv'), 'utf8')).trimEnd().split('\n')
    expect(csv.slice(1).map((line) => line.split(',')[0])).toEqual(urls)
    // Each kill costs at most what was in flight, and one group of commits.
    expect(asked.length).toBeLessThanOrEqual(400 + kills * (8 + 64))
  })
})

describe('--fresh', () => {
  it('says which accepted patterns it forgets, before and after', async () => {
    site = await smallSite(3)
    await avocet(['crawl', site.url, ...QUICK])
    const all = `${new URL(site.url).host}/**`
    await avocet(['scope', 'accept', all])
    const unsure = await avocet(['crawl', site.url, ...QUICK, '--fresh'])
    const sure = await avocet(['crawl', site.url, ...QUICK, '--fresh', '--yes'])

    expect(unsure.stderr).toContain(`(3 URLs, 3 items, 1 accepted pattern)`)
    expect(sure.stderr).toContain(
      `--fresh forgot the accepted patterns '${all}'; once they are closed again: avocet scope accept '${all}'`,
    )
  })

  it('says which hosts it forgets to hold back, before and after', async () => {
    site = await smallSite(3)
    await avocet(['crawl', site.url, ...QUICK])
    const { host } = new URL(site.url)
    await avocet(['host', 'set', host, '--max-rps', '5'])
    const unsure = await avocet(['crawl', site.url, ...QUICK, '--fresh'])
    const sure = await avocet(['crawl', site.url, ...QUICK, '--fresh', '--yes'])

    expect(unsure.stderr).toContain('(3 URLs, 3 items, 1 host paused or limited)')
    expect(sure.stderr).toContain(`--fresh forgot a pause or limits of ${host}; to pause again: avocet host pause '${host}'`)
    expect(sure.code).toBe(0)
  })

  it('asks for --yes where nobody can be asked, and then starts over', async () => {
    site = await smallSite(3)
    await avocet(['crawl', site.url, ...QUICK, '-O', 'out.jsonl'])

    const unsure = await avocet(['crawl', site.url, ...QUICK, '--fresh'])
    expect(unsure.stderr).toContain(`--fresh: expected consent to forget ${await storePath()} (3 URLs, 3 items); add --yes`)
    expect(unsure.code).toBe(2)
    expect(site.asked).toHaveLength(3)

    const sure = await avocet(['crawl', site.url, ...QUICK, '--fresh', '--yes', '-O', 'out.jsonl'])
    expect(sure.code).toBe(0)
    expect(site.asked).toHaveLength(6)
    expect(await urlsIn('out.jsonl')).toHaveLength(3)
  })

  it('does not touch a store that another process crawls, nor a file that is none', async () => {
    site = await smallSite(100, 300)
    const { url } = site
    let refused: CliRun | undefined
    await spawned(['crawl', url, '--rate', 'fixed', '--delay', '0'], {
      meanwhile: (child) => {
        const watch = setInterval(() => {
          if ((site?.asked.length ?? 0) < 2) return
          clearInterval(watch)
          void avocet(['crawl', url, '--fresh', '--yes']).then((run) => {
            refused = run
            child.kill('SIGTERM')
          })
        }, 10)
      },
    })
    expect(refused?.stderr).toMatch(
      /--fresh: expected nobody to work on .*, but 1 process does; stop it first \(AVO_FRONTIER_BUSY\)/,
    )
    expect(refused?.code).toBe(7)

    await writeFile(join(folder, 'letter.txt'), 'dear reader, '.repeat(1_000))
    const foreign = await avocet(['crawl', url, '--store', 'letter.txt', '--fresh', '--yes'])
    expect(foreign.stderr).toContain('AVO_FRONTIER_FOREIGN')
    expect(foreign.code).toBe(7)
    expect((await stat(join(folder, 'letter.txt'))).size).toBe(13_000)
  })
})

describe("the configuration's own store", () => {
  const SQLITE = import.meta.resolve('@avocet/plugin-sqlite')
  const AVOCET = import.meta.resolve('avocet')

  function configure(frontier: string): Promise<void> {
    const imports = `import { sqlite } from '${SQLITE}'\nimport { memoryFrontier } from '${AVOCET}'\n`
    return writeFile(join(folder, 'avocet.config.ts'), `${imports}export default { frontier: ${frontier} }`)
  }

  it('is gone on with, and is not started over: nothing is forgotten, and the line says what to do', async () => {
    site = await smallSite(20)
    await configure(`sqlite('${join(folder, 'own.db')}')`)

    const first = await avocet(['crawl', site.url, ...QUICK, '--max-pages', '5'])
    expect(first.stderr).toContain("to resume, run the same command again (store: the configuration's own)\n")

    const fresh = await avocet(['crawl', site.url, ...QUICK, '--fresh', '--yes'])
    expect(fresh).toEqual({
      code: 2,
      stdout: '',
      stderr:
        "avocet: --fresh: expected a store that avocet made, got the configuration's own (frontier); remove that yourself, or name another: --store PATH (AVO_USAGE)\n",
    })
    expect(site.asked).toHaveLength(5)

    await avocet(['crawl', site.url, ...QUICK])
    const idle = await avocet(['crawl', site.url, ...QUICK])
    expect(idle.stderr).toContain("an empty store (the configuration's own) starts over, new seeds are crawled\n")
    expect(idle.stderr).not.toContain('--fresh')
    expect(site.asked).toHaveLength(20)

    const typed = await avocet(['crawl', site.url, ...QUICK, '--store', 'mine.db', '--fresh', '--yes'])
    expect(typed.code).toBe(0)
    expect(site.asked).toHaveLength(40)
  })

  it('promises nothing when it is in RAM', async () => {
    site = await smallSite(20)
    await configure('memoryFrontier()')
    const run = await avocet(['crawl', site.url, ...QUICK, '--max-pages', '5'])
    expect(run.stderr).toContain('ended at a limit')
    expect(run.stderr).not.toContain('to go on')
  })
})

describe('a store', () => {
  it('that is foreign, or a folder, or not there is named in one line, with 7', async () => {
    await writeFile(join(folder, 'letter.db'), 'dear reader, '.repeat(1_000))
    const runs = [
      await avocet(['crawl', 'http://127.0.0.1:39999/', '--store', 'letter.db']),
      await avocet(['crawl', 'http://127.0.0.1:39999/', '--store', '.']),
      await avocet(['status', 'letter.db']),
      await avocet(['status', 'missing.db']),
      await avocet(['export']),
    ]
    for (const run of runs) {
      expect(run.stderr.trimEnd().split('\n')).toHaveLength(1)
      expect(run.stderr).toMatch(/^avocet: .*\(AVO_FRONTIER_[A-Z]+\)\n$/)
      expect(run.code).toBe(7)
    }
    expect(runs[0]?.stderr).toContain('AVO_FRONTIER_FOREIGN')
    expect(runs[3]?.stderr).toContain('AVO_FRONTIER_MISSING')
  })

  it('on a disk that fills up ends the crawl in good order, and goes on when there is room', async () => {
    site = await smallSite(800)
    const command = ['crawl', site.url, ...QUICK, '-O', 'out.jsonl']

    const full = await spawned([...command, '--store-patience', '2s'], { maxFileKib: 1_024 })
    expect(full.stderr).toMatch(/AVO_FRONTIER_FULL|AVO_FRONTIER_IO/)
    expect(full.stderr).toMatch(/^127\.0\.0\.1-\d+ ended with an error after .*\n {2}this run: \d+ pages/m)
    expect(full.code).toBe(7)

    const roomy = await avocet(command)
    expect(roomy.code).toBe(0)
    expect(new Set(await urlsIn('out.jsonl')).size).toBe(800)
    expect(await urlsIn('out.jsonl')).toHaveLength(800)
  })
})

describe('status, hosts and export', () => {
  it('read a store, also while another process crawls it', async () => {
    site = await smallSite(1_000, 50)
    const { asked } = site
    const live: CliRun[] = []
    await spawned(['crawl', site.url, '--rate', 'fixed', '--delay', '0', '--max-time', '50s'], {
      meanwhile: (child) => {
        const watch = setInterval(() => {
          if (asked.length < 8) return
          clearInterval(watch)
          void (async () => {
            for (const command of ['status', 'hosts', 'export']) live.push(await avocet([command]))
            child.kill('SIGTERM')
          })()
        }, 10)
      },
    })
    const [status, hosts, items] = live
    expect(status?.stdout).toMatch(/being crawled by 1 process\n +process \d+ holds 1 host, last heard from [\d.]+ m?s ago\n/)
    expect(hosts?.stdout).toMatch(/^host +waiting +done .*state\n127\.0\.0\.1:\d+ .* being crawled\n$/)
    expect(items?.stdout.split('\n').length).toBeGreaterThan(3)
    expect(live.map(({ code }) => code)).toEqual([0, 0, 0])

    const rest = await avocet(['status', '--json'])
    const { counts, liveProcesses } = JSON.parse(rest.stdout) as { counts: { items: number }; liveProcesses: number }
    expect(liveProcesses).toBe(0)

    await avocet(['export', '-O', 'all.json'])
    await avocet(['export', '-o', 'all.jsonl'])
    await avocet(['export', '-o', 'all.jsonl'])
    expect(JSON.parse(await readFile(join(folder, 'all.json'), 'utf8'))).toHaveLength(counts.items)
    expect(await urlsIn('all.jsonl')).toHaveLength(2 * counts.items)

    const table = await avocet(['hosts', '--json'])
    expect(JSON.parse(table.stdout)).toMatchObject({ schema: 1, hosts: [{ done: counts.items, held: false }] })
  })

  it('end quietly when nobody reads', async () => {
    site = await smallSite(300)
    await avocet(['crawl', site.url, ...QUICK])
    const piped = await spawned(['export'], { meanwhile: (child) => child.stdout?.destroy() })
    expect({ code: piped.code, stderr: piped.stderr }).toEqual({ code: 141, stderr: '' })
  })
})
