// What the command line accepts, and what it says to what it does not.
import { describe, expect, it } from 'vitest'
import { CRAWL_FLAGS } from '../../project/src/options/flags.ts'
import { columnsOf } from '../../project/src/text/terminal.ts'
import { COMMAND_LIST, commandHelp, helpOfAll, optionLines, rareOf } from '../src/command-line/command-help.ts'
import { COMMANDS, HELP_TOPICS } from '../src/command-line/commands.ts'
import { readCommandLine } from '../src/command-line/read-command-line.ts'

const HERE = { stdout: {} }

async function crawlOptions(...words: string[]): Promise<unknown> {
  return (await readCommandLine(['crawl', ...words], HERE)).options
}

describe('letters that are typed together', () => {
  it.each([
    ['-Oh', { outputs: [{ path: 'h', mode: 'overwrite' }] }],
    ['-Oitems.jsonl', { outputs: [{ path: 'items.jsonl', mode: 'overwrite' }] }],
    ['-O=items.jsonl', { outputs: [{ path: 'items.jsonl', mode: 'overwrite' }] }],
    ['-O-', { outputs: [{ path: '-', mode: 'overwrite' }] }],
    ['-O-h', { outputs: [{ path: '-h', mode: 'overwrite' }] }],
    ['-apath=/health', { args: { path: '/health' } }],
    ['-acity=Oh', { args: { city: 'Oh' } }],
  ])('are an option and its value in %s', async (word, expected) => {
    expect(await crawlOptions('spider.ts', word)).toMatchObject(expected)
    expect(await crawlOptions(word, 'spider.ts')).toMatchObject({ ...expected, targets: ['spider.ts'] })
  })

  it('ask for help with an h before which none takes a value', async () => {
    for (const word of ['-h', '-xh', '-hx', '-help']) expect((await readCommandLine(['crawl', word])).name).toBe('print')
  })

  it.each([
    ['-apath', /KEY=VALUE|key=value|, got 'path'/],
    ['-overwrite', /expected a known option, got -overwrite \(did you mean '--overwrite'\?\)/],
    ['-max-pages=3', /expected a known option, got -max-pages=3 \(did you mean '--max-pages=3'\?\)/],
    ['-xy', /expected a known option, got -x;/],
  ])('are refused as what was typed: %s', async (word, message) => {
    await expect(crawlOptions('spider.ts', word)).rejects.toThrow(message)
  })
})

describe('the command line', () => {
  it('reads every option of crawl', async () => {
    const words =
      'spider.ts --seeds s.txt -O a.csv -o b.jsonl --store x.db --fresh --concurrency 20 --max-per-host 2 --delay 250ms --scope domain --max-depth 0 ' +
      '--max-rps 2.5 --ignore-robots --max-pages 9 --max-time 5m --patience 90s --store-patience 2h --allow-private --json --config c.ts -a key=a=b -a other='

    const options = await crawlOptions(
      ...words.split(' '),
      '--user-agent',
      'me (+https://me.example)',
      '--header',
      'X-Key: 1',
      '--header',
      'Accept: a, b',
      '--secret-parameter',
      'token',
      '--secret-parameter',
      'api_key',
    )

    expect(options).toEqual({
      targets: ['spider.ts'],
      seedsPath: 's.txt',
      outputs: [
        { path: 'b.jsonl', mode: 'append' },
        { path: 'a.csv', mode: 'overwrite' },
      ],
      store: 'x.db',
      fresh: true,
      yes: false,
      configPath: 'c.ts',
      args: { key: 'a=b', other: '' },
      headers: { 'x-key': '1', accept: 'a, b' },
      within: 'seed-domains',
      maxDepth: 0,
      maxRps: 2.5,
      ignoreRobots: true,
      json: true,
      config: {
        concurrency: 20,
        maxPerHost: 2,
        delayMs: 250,
        patienceMs: 90_000,
        storePatienceMs: 7_200_000,
        maxPages: 9,
        maxTimeMs: 300_000,
        userAgent: 'me (+https://me.example)',
        secretParameters: ['token', 'api_key'],
        allowPrivate: true,
      },
    })
  })

  it('leaves out what was not typed, so that the configuration and the spider have their say', async () => {
    expect(await crawlOptions('https://a.example/')).toMatchObject({ targets: ['https://a.example/'], outputs: [], config: {} })
  })

  it('takes a share of 0 without a percent sign', async () => {
    expect(await crawlOptions('x.ts', '--fail-over', '0')).toMatchObject({ failOver: 0 })
  })

  it('takes the last of an option that is typed twice', async () => {
    expect(await crawlOptions('x.ts', '--delay', '1s', '--delay', '2s')).toMatchObject({ config: { delayMs: 2_000 } })
  })

  it.each([
    [
      ['crawl', 'x.ts', '--conccurency', '3'],
      "crawl: expected a known option, got --conccurency (did you mean '--concurrency'?); see avocet crawl --help",
    ],
    [['crawl', 'x.ts', '-o'], 'crawl: expected a value after -o, got nothing; see avocet crawl --help'],
    [['crawl', 'x.ts', '--delay'], 'crawl: expected a value after --delay, got nothing; see avocet crawl --help'],
    [['why'], 'why: expected a host or a URL, got nothing; see avocet why --help'],
    [['new', 'spider'], 'new: expected <kind> <name> [url], got 1 of them; see avocet new --help'],
    [['fetch', 'https://a.example/', '-o'], 'fetch: expected a value after -o, got nothing; see avocet fetch --help'],
    [['crawl', 'x.ts', '--seeds', '--fresh'], 'crawl: expected a value after --seeds, got nothing; see avocet crawl --help'],
    [['crawl', 'x.ts', '-yO'], 'crawl: expected a value after -O, got nothing; see avocet crawl --help'],
    [['store', 'verify', '-x', 'y'], 'store: expected a known option, got -x; see avocet store --help'],
    [
      ['status', 'a.db', '--store', 'b.db'],
      'status: expected one store, got a.db and --store b.db; leave one out; see avocet status --help',
    ],
    [
      ['status', 'q', '--store', 'postgres://:s3cret@db.example/crawls'],
      'status: expected one store, got q and --store postgres://db.example/crawls; leave one out, or name the crawl in the URL: ?crawl=q; see avocet status --help',
    ],
    [
      ['status', '--store='],
      'status: expected a store, got an empty text; a variable of the shell may be unset; see avocet status --help',
    ],
    [
      ['crawl', 'x.ts', '--store', ''],
      'crawl: expected a store, got an empty text; a variable of the shell may be unset; see avocet crawl --help',
    ],
    [['failed', 'list', 'a.db', 'b.db'], 'failed: expected one store, got a.db and b.db; leave one out'],
    [['status', 'a.db', 'b.db'], "status: expected no more arguments, got 'b.db'; see avocet status --help"],
    [['crawl', '--hepl'], "crawl: expected a known option, got --hepl (did you mean '--help'?); see avocet crawl --help"],
    [['crawl', 'x.ts', '-z'], 'crawl: expected a known option, got -z; see avocet crawl --help'],
    [['crwal', 'x.ts'], "expected a command, got 'crwal' (did you mean 'crawl'?)"],
    [['store', 'verify', 'x', 'y'], "store: expected no more arguments, got 'y'; see avocet store --help"],
    [['check', '--alerts', '--get', 'delayMs'], 'check: expected --get or --alerts, got both; leave one out'],
    [['store', 'compact', '--to', 'x.db'], 'store compact: expected no --to, which is for backup; leave it out'],
    [['failed', 'lst'], "failed: expected list, retry or drop, got 'lst' (did you mean 'list'?)"],
    [['https://a.example/'], "expected a command, got 'https://a.example/'; did you mean avocet crawl https://a.example/?"],
    [['crawl', 'x.ts', '--concurrency', 'many'], "--concurrency: expected a whole number of at least 1, got 'many'"],
    [['crawl', 'x.ts', '--max-pages', '0'], "--max-pages: expected a whole number of at least 1, got '0'"],
    [['crawl', 'x.ts', '--max-time', '0s'], "--max-time: expected a duration of at least 1ms, such as 1h, got '0s'"],
    [['crawl', 'x.ts', '--max-rps', '0'], "--max-rps: expected a number above 0 such as 0.5 or 20, got '0'"],
    [['crawl', 'x.ts', '--max-rps', 'fast'], "--max-rps: expected a number above 0 such as 0.5 or 20, got 'fast'"],
    [['crawl', 'x.ts', '--scope', 'hosts'], "--scope: expected host, domain or any, got 'hosts' (did you mean 'host'?)"],
    [['crawl', 'x.ts', '-a', 'novalue'], "-a: expected key=value, got 'novalue'"],
    [['crawl', 'x.ts', '-a', '__proto__=1'], "-a: expected key=value, got '__proto__=1'"],
    [
      ['crawl', 'x.ts', '-a', 'city=berlin', '-a', 'city=paris'],
      '-a: expected one value for city, got city=berlin and city=paris; leave one out',
    ],
    [
      ['check', 'x.ts', '-a', 'city=berlin', '-a', 'city=berlin'],
      '-a: expected one value for city, got city=berlin and city=berlin; leave one out',
    ],
    [
      ['crawl', 'x.ts', '--header', 'Authorization: s3cret', '--header', 'authorization: other'],
      '--header: expected one value for authorization, got 2; leave one out',
    ],
    [['crawl', 'x.ts', '--header', 'no colon'], "--header: expected 'name: value', got 'no…'"],
    [['crawl', 'x.ts', '--header', 'Authorization Bearer s3cret'], "--header: expected 'name: value', got 'Authorization…'"],
    [['crawl', 'x.ts', '--header', 'a: b\r\nc: d'], "--header: expected 'name: value', got 'a…'"],
    [['crawl', 'x.ts', '--json', '-o', '-'], 'expected one thing on standard output, got -o - and --json; send items to a file'],
  ])('answers %j in one line', async (words, message) => {
    await expect(readCommandLine(words)).rejects.toMatchObject({ code: 'AVO_USAGE', message })
  })

  it('lists all commands for what is near to none of them', async () => {
    const names = COMMANDS.map(({ name }) => name).join(', ')
    await expect(readCommandLine(['abracadabra'])).rejects.toThrow(`expected a command (${names}), got 'abracadabra'`)
  })

  it('lists every command once, in the order of the declarations, and the topics of help', () => {
    const listed = COMMAND_LIST.flatMap(({ commands }) => Object.keys(commands))

    expect([...listed, 'help']).toEqual(COMMANDS.map(({ name }) => name))
    expect(helpOfAll(80).join('\n')).toContain(`avocet help explains a COMMAND, ${HELP_TOPICS.join(' or ')}.`)
  })

  it('of a command is the same with help before it as with --help behind it, and help alone is the help of all', async () => {
    for (const { name } of COMMANDS)
      expect((await readCommandLine(['help', name])).options).toBe((await readCommandLine([name, '--help'])).options)
    expect((await readCommandLine(['help'])).options).toBe((await readCommandLine(['--help'])).options)
    await expect(readCommandLine(['help', 'crwal'])).rejects.toThrow(
      /^help: expected a command, .*, got 'crwal' \(did you mean 'crawl'\?\)$/,
    )
  })

  it.each([['--help'], ...COMMANDS.map(({ name }) => [name, '--help']), ['status', '-h']])(
    'helps on one screen, an example first: %j',
    async (...words) => {
      const command = await readCommandLine(words)

      expect(command.name).toBe('print')
      const lines = String(command.options).trimEnd().split('\n')
      // To help with help is to help with everything.
      const first = words[0] === '--help' || words[0] === 'help' ? 'crawl' : words[0]
      // That of all commands has a line for each of them.
      expect(lines.length).toBeLessThanOrEqual(first === 'crawl' && words[0] !== 'crawl' ? 40 : 44)
      expect(lines.filter((line) => columnsOf(line) > 80)).toEqual([])
      // What an option means is beside it, in one line.
      expect(lines.filter((line) => /^ {12}/.test(line))).toEqual([])
      expect(lines[0]).toMatch(new RegExp(`^avocet ${first}\\b`))
    },
  )

  it.each(['crawl', 'check'])('of %s names each option once, and where the rarely needed ones are explained', async (name) => {
    const help = String((await readCommandLine([name, '--help'])).options)
    const [terms = '', more = ''] = help.slice(help.indexOf('\n\n')).split(/^More, in avocet help crawl-options: /m)
    const topic = optionLines(rareOf(CRAWL_FLAGS), 80)
    for (const [option, { subject }] of Object.entries(COMMANDS.find((command) => command.name === name)?.flags ?? {})) {
      const dashed = option.length === 1 ? `-${option}, ` : `--${option}`
      const times = (text: string): number => text.split(dashed + (option.length === 1 ? '' : ' ')).length - 1
      const rare = subject === 'Rarely needed'
      expect([option, times(terms), more.split(/[,\s]+/).includes(dashed)]).toEqual([option, rare ? 0 : 1, rare])
      if (rare) expect(topic.filter((line) => line.startsWith(`      ${dashed} `))).toHaveLength(1)
    }
  })

  it('has a line for each option of a subject, the subjects in one order', async () => {
    const help = String((await readCommandLine(['fetch', '--help'])).options).split('\n')
    const titles = help.filter((line) => /^[A-Z].*:$/.test(line))

    expect(titles).toEqual(['Arguments:', 'Options:', 'Requests:', 'Rarely needed:'])
    expect(help).toContain('      --patience TIME    Maximum time to wait for its turn [default: 30s]')
    expect(help).toContain('  -h, --help             Show this help')
  })

  it.each(COMMANDS)('has no heading over a single option of $name, and no note that is folded at 80 columns', (command) => {
    const lines = commandHelp(command, 80)
    const headings = lines.flatMap((line, n) => (/^[A-Z][\w ,]*:$/.test(line) ? [n] : []))
    const sizes = headings.map((n) => lines.slice(n + 1).findIndex((line) => !line.startsWith(' ')))

    const lonely = headings.filter((n, index) => sizes[index] === 1 && !['Options:', 'Arguments:'].includes(lines[n] ?? ''))
    expect(lonely.map((n) => lines[n])).toEqual([])
    for (const note of command.notes ?? []) expect(columnsOf(note)).toBeLessThanOrEqual(80)
  })

  it('stays within a narrow terminal', () => {
    for (const command of COMMANDS)
      for (const line of commandHelp(command, 50).slice(command.examples.length)) expect(line.length).toBeLessThanOrEqual(58)
  })

  it.each(COMMANDS.map(({ name }) => name))('gives a typo in an option of %s its suggestion alone', async (name) => {
    const { flags = {}, arguments: words = '' } = COMMANDS.find((command) => command.name === name) ?? {}
    const flag = Object.keys(flags).find((option) => option.length > 3)
    if (flag === undefined) return
    const needed = words.split(' ').filter((word) => word.startsWith('<'))
    const error: unknown = await readCommandLine([name, ...needed, `--${flag}z`]).catch((thrown: unknown) => thrown)
    expect(String(error)).toContain(`${name}: expected a known option, got --${flag}z (did you mean '--${flag}'?)`)
    expect(String(error)).not.toContain('\n')
  })

  it.each([
    ['crawl', /^ +--seeds FILE +Use these seeds instead: one URL a line, or - \(stdin\)$/m],
    ['crawl', /^ +targets +One spider \(file or name\), or URLs$/m],
    ['export', /^ +-o, .*all items again$/m],
    ['export', /^ +store +Name or path of the store \[default: the only one\]$/m],
  ])('says in the help of %s what would surprise: %s', async (name, pattern) => {
    const command = await readCommandLine([name, '--help'])
    expect(command).toMatchObject({ name: 'print', options: expect.stringMatching(pattern) })
  })
})
