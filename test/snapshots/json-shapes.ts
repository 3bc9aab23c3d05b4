// What `--json` prints, in keys and types: a line for each path, such as `hosts[].key: string`. Values, and keys that are data, are left out.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { COMMANDS } from '../../packages/cli/src/command-line/commands.ts'
import { runCli } from '../../packages/cli/test/run-cli.ts'

const SPIDER = `export default {
  name: 'tea', seeds: ['BASE/'],
  handlers: {
    *start(page) { yield { url: page.url.href, title: page.title }; yield* page.links() },
    *broken() { throw new Error('broken') },
  },
}`
const ALERTS = `export default { plugins: [{ name: 'tells', outsideEffects: true, test: async () => [{ to: 'chat', problem: 'closed' }] }] }`
const SIGNED = `export default { plugins: [{ name: 'signature', outsideEffects: false, options: { key: 'keys', agent: 'https://bot.test' } }] }`
const PAGES: Readonly<Record<string, string>> = {
  '/': '<title>Teas</title><a href="/a">A</a><a href="/missing">none</a><a href="http://elsewhere.test/">else</a>',
  '/a': '<title>A</title>',
}

/** Commands in an order in which each finds something, on a site at `base`. One crawl, then what looks at its store, then what changes it. */
const runs = (base: string): readonly (readonly string[])[] => [
  ...[
    ['new', 'spider', 'more', base],
    ['check', 'spider.js'],
    ['check', '--values', 'spider.js'],
    ['check', '--alerts', '--config', 'alerts.config.js'],
    ['identity', 'key', 'keys/a.json'],
    ['identity', 'page', 'public', '--config', 'signed.config.js'],
    ['fetch', `${base}/`],
  ],
  ...[
    ['parse', `${base}/`, '--spider', 'spider.js'],
    ['shell', `${base}/`, '-c', 'page.title'],
  ],
  ['crawl', 'spider.js', '--delay', '0', '--cache'],
  ['replay', 'spider.js', '-O', 'replayed.jsonl'],
  ...[['status'], ['report'], ['hosts'], ['why', `${base}/missing`], ['why', base.replace('http://', '')]],
  ...[['failed', 'list'], ['rejects'], ['scope', 'list'], ['store', 'verify']],
  ...[
    ['pause'],
    ['resume'],
    ['stop'],
    ['add', `${base}/b`, '--handler', 'broken'],
    ['crawl', 'spider.js', '--delay', '0'],
    ['failed', 'list'],
  ],
  ...[
    ['host', 'pause', base],
    ['hosts'],
    ['why', base.replace('http://', '')],
    ['scope', 'accept', 'elsewhere.test/*', '--ahead'],
  ],
  ...[
    ['failed', 'retry', `${base}/b`],
    ['store', 'backup', '--to', 'copy.db'],
    ['store', 'compact'],
  ],
]
/** There for a moment after a request. */
const PASSING = /^\.holds\b|\.usedRps:/

/** The shape of each, below the words that were typed. */
export async function jsonShapes(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-shapes-'))
  const site = createServer(({ url = '' }, response) => {
    response.writeHead(url in PAGES ? 200 : 404, { 'content-type': 'text/html' }).end(PAGES[url])
  })
  await new Promise<void>((resolve) => void site.listen(0, '127.0.0.1', resolve))
  const base = `http://127.0.0.1:${String((site.address() as AddressInfo).port)}`
  try {
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    writeFileSync(join(folder, 'spider.js'), SPIDER.replace('BASE', base))
    writeFileSync(join(folder, 'alerts.config.js'), ALERTS)
    writeFileSync(join(folder, 'signed.config.js'), SIGNED)
    const shapes: string[] = []
    for (const words of runs(base)) {
      const { code, stdout, stderr } = await runCli([...words, '--json'], { folder })
      const shape = stdout === '' ? [`nothing: ${stderr}`] : lasting(shapeOf(JSON.parse(stdout) as unknown, ''))
      shapes.push(
        [`# ${words.join(' ')}: exit code ${String(code)}`, ...shape]
          .join('\n')
          .replaceAll(base, 'BASE')
          .replaceAll(base.slice(7), 'HOST'),
      )
    }
    return `${[...shapes, untried(runs(base))].join('\n\n')}\n`
  } finally {
    site.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function lasting(shape: readonly string[]): readonly string[] {
  return [...new Set(shape)].filter((line) => !PASSING.test(line)).sort()
}

function untried(all: readonly (readonly string[])[]): string {
  const tried = all.map(([name]) => name)
  const names = COMMANDS.filter(({ name, flags }) => 'json' in flags && !tried.includes(name)).map(({ name }) => name)
  return `# commands with --json that are not here: ${names.join(', ') || 'none'}`
}

function shapeOf(value: unknown, path: string): readonly string[] {
  if (Array.isArray(value)) return value.length === 0 ? [`${path}: []`] : value.flatMap((each) => shapeOf(each, `${path}[]`))
  if (typeof value !== 'object' || value === null) return [`${path}: ${value === null ? 'null' : typeof value}`]
  const entries = Object.entries(value)
  if (entries.length === 0) return [`${path}: {}`]
  return entries.flatMap(([key, each]) => shapeOf(each, `${path}.${/^[a-z]\w*$/i.test(key) ? key : '*'}`))
}
