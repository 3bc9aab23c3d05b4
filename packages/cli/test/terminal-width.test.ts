// What commands print at a terminal of 80 columns, and what the same commands print into a pipe.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { sqlite } from '@avocet/plugin-sqlite'
import { simulatedWeb, siteModel, VirtualClock } from '@avocet/simulator'
import { crawl, definePlugin, spider } from 'avocet'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { placeIn, type Place } from '../../project/src/place/place.ts'
import { columnsOf, plain } from '../../project/src/text/terminal.ts'
import { HELP_TOPICS } from '../src/command-line/commands.ts'
import { readCommandLine } from '../src/command-line/read-command-line.ts'

const LONG_HOST = `${'deliveries-and-returns.'.repeat(3)}shop.test`

let folder: string
let clock: VirtualClock

/** A store with a host of a long name, a host that is given up, and pages that a handler failed on for a long reason. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'avocet-width-'))
  clock = new VirtualClock()
  const pages = { kind: 'tree' as const, pages: 4 }
  const model = siteModel({
    seed: 'width',
    hosts: [
      { name: LONG_HOST, pages },
      { name: 'short.test', pages },
      { name: 'dead.test', pages },
    ],
  })
  const failing = spider({
    name: 'failing',
    seeds: [`http://${LONG_HOST}/`, 'http://short.test/', 'http://dead.test/'],
    handlers: {
      *start(page) {
        yield* page.links()
        if (page.url.hostname === 'short.test')
          throw new TypeError('expected the price of the article to have two digits, got the name of a colour')
      },
    },
  })
  const givesUp = definePlugin({
    name: 'gives-up',
    admit: (ask) => ask.host.key === 'dead.test' && ask.giveUp('no answer to three requests in a row, the last one yesterday'),
  })
  const frontier = sqlite(join(folder, 'failing.db'), { clock })
  const made = crawl({
    policies: [],
    plugins: [givesUp],
    spider: failing,
    frontier,
    clock,
    fetcher: simulatedWeb(model, { clock }),
  })
  await clock.run(() => made.run())
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Lines that a command prints on standard output, into a pipe where no columns are given. */
async function printed(words: readonly string[], columns?: number): Promise<string[]> {
  const screen = columns === undefined ? {} : { isTTY: true, columns }
  const [stdout, stderr] = [Object.assign(new PassThrough(), screen), Object.assign(new PassThrough(), screen)]
  const command = await readCommandLine(words)
  await command.run({ ...placeIn(process, words), stdout, stderr, folder, clock, paint: plain } as unknown as Place)
  stdout.end()
  return (await text(stdout)).trimEnd().split('\n')
}

const LOOKING = [
  'status',
  'hosts',
  'failed list',
  'scope list --store',
  'store verify',
  'report',
  'report --host short.test --store',
].map((command) => `${command} failing.db`)

describe('at a terminal of 80 columns', () => {
  it.each([...LOOKING, ...HELP_TOPICS.map((topic) => `help ${topic}`)])('no line of avocet %s is wider', async (command) => {
    const lines = await printed(command.split(' '), 80)

    expect(lines.filter((line) => columnsOf(line) > 80)).toEqual([])
  })

  it('the state of a host stands below its numbers where it does not fit beside them', async () => {
    const lines = await printed(['hosts', 'failing.db'], 80)
    const row = lines.findIndex((line) => line.startsWith('dead.test'))

    expect(lines[row]).toMatch(/^dead\.test +1 +0 +0 +0 +\d+ +0$/)
    expect(lines[row + 1]).toMatch(/^ {2}unreachable: given up, /)
  })
})

describe('in a pipe', () => {
  it('each host, page and exit code has one line, whatever its width', async () => {
    const hosts = await printed(['hosts', 'failing.db'])
    expect(hosts).toHaveLength(4)
    expect(hosts.find((line) => line.startsWith('dead.test'))).toMatch(/ 0 {2}unreachable: given up, /)

    const [page = ''] = await printed(['failed', 'list', 'failing.db'])
    expect(page).toMatch(/^handler .* got the name of a colour/)
    expect((await printed(['help', 'exit-codes'])).filter((line) => !/^ *\d+ {2}\w/.test(line))).toEqual([])
  })
})
