// Holds the rules of the house: who may import whom, where time and chance come from, how long a file may be. ARCHITECTURE.md says why.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import { longFunctions } from './long-functions.ts'

const ROOT = join(import.meta.dirname, '..')

interface Source {
  /** Path from the root of the repository. */
  readonly path: string
  /** `core`, `plugin-sqlite`, … */
  readonly home: string
  readonly text: string
  /** Without comments and string contents that could look like code. */
  readonly code: string
  readonly imports: readonly string[]
}

const sources: readonly Source[] = globSync('packages/*/src/**/*.ts', { cwd: ROOT })
  .map((path) => path.replaceAll('\\', '/'))
  .sort()
  .map((path) => {
    const text = readFileSync(join(ROOT, path), 'utf8')
    const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[^:'"])\/\/.*$/gm, '$1')
    const imports = [...code.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g), ...code.matchAll(/require\w*\(\s*'([^']+)'/g)].map(
      (match) => match[1] ?? '',
    )
    return { path, home: path.split('/')[1] ?? '', text, code, imports }
  })

/** Each offence as `path: what`. */
function offences(rule: (source: Source) => readonly string[]): string[] {
  return sources.flatMap((source) => rule(source).map((what) => `${source.path}: ${what}`))
}

/** Third parties that have one door each. */
const DOORS: readonly { readonly library: RegExp; readonly door: RegExp }[] = [
  { library: /^tapable(\/|$)/, door: /^packages\/core\/src\/hooks\/hooks\.ts$/ },
  { library: /^undici(\/|$)/, door: /^packages\/fetcher-http\/src\/undici-fetcher\.ts$/ },
  { library: /^cheerio(\/|$)/, door: /^packages\/page\/src\/(?:page-content|markup\/dom)\.ts$/ },
  { library: /^better-sqlite3$/, door: /^packages\/plugin-sqlite\/src\// },
  { library: /^aws4fetch$/, door: /^packages\/sink-s3\/src\/(?:s3|s3-client)\.ts$/ },
  { library: /^hyparquet/, door: /^packages\/sink-parquet\/src\/(?:open-files|part-writer)\.ts$/ },
  {
    library: /^pg$/,
    door: /^packages\/(?:sink-postgres\/src\/postgres-connection|plugin-postgres\/src\/connection\/connections)\.ts$/,
  },
  { library: /^preact/, door: /^packages\/dashboard\/src\/page\// },
  { library: /^uplot$/, door: /^packages\/dashboard\/src\/page\/chart\.ts$/ },
  { library: /^yargs/, door: /^packages\/cli\/src\// },
  { library: /^structured-headers$/, door: /^packages\/plugin-signature\/src\/web-bot-auth\.ts$/ },
  { library: /^tough-cookie$/, door: /^packages\/plugin-cookies\/src\/set-cookie\.ts$/ },
  { library: /^vitest$/, door: /^packages\/testkit\/src\/contracts(\/|\.ts$)/ },
]

/** Who may print beside the two writers of the command line: where the streams come from, and what has no command line around it. */
const PRINTERS: readonly string[] = [
  // Writes the version and the list of commands, which need no command.
  'packages/cli/src/main.ts',
  // Names the two streams, and hands them to the commands.
  'packages/cli/src/run-command-line.ts',
  // The same for a process of a crawl that has several.
  'packages/cli/src/crawl/worker-process.ts',
  // Asks how wide the screen is, before there is a command.
  'packages/cli/src/command-line/read-command-line.ts',
  // Runs before anything is installed, on Node 20: it can import no other package.
  'packages/create-avocet/src/surroundings.ts',
]

/** Packages of the command, which runs in any process. */
const OF_COMMAND = /^packages\/(?:cli|dev|project)\/src\//

/** Makes up pages, out of texts of its own; or reads what others escaped. */
const KNOWS_ESCAPES = /^packages\/(?:simulator\/src\/|page\/src\/markup\/character-references\.ts$)/

/** Who may import more than core: what composes, what is for people, and contracts, which run crawls on the simulator. */
const [CORE, CORE_PLUGIN, CORE_SINK, CORE_STORE, CORE_TOOLS] = ['', '/plugin', '/sink', '/store', '/tools'].map(
  (door) => `@avocet/core${door}`,
)
/** What most packages, the policies, may import. */
const POLICY_MAY_IMPORT = [CORE, CORE_PLUGIN]
const SINK_MAY_IMPORT = [CORE, CORE_PLUGIN, CORE_SINK]
const PROJECT = ['command', 'load', 'log', 'options', 'place', 'plan', 'store', 'text'].map((door) => `@avocet/project/${door}`)
/** Sinks that write files or objects. */
const FILES_MAY_IMPORT = [...SINK_MAY_IMPORT, '@avocet/delivery/files']
const MAY_IMPORT: Readonly<Record<string, readonly (string | undefined)[]>> = {
  'at-rest': [CORE, CORE_PLUGIN, CORE_STORE, CORE_TOOLS, '@avocet/plugin-secrets/names'],
  // Composes the parts of a crawl.
  // Checks what people write: sinks are among it.
  config: [CORE, CORE_PLUGIN, CORE_SINK, CORE_STORE, CORE_TOOLS],
  avocet: [
    '@avocet/config',
    ...[CORE, CORE_PLUGIN, CORE_STORE, '@avocet/at-rest', '@avocet/delivery', '@avocet/fetcher-http', '@avocet/page'],
    ...['@avocet/plugin-login', '@avocet/plugin-recrawl', '@avocet/plugin-secrets', '@avocet/plugin-traps'],
    ...['@avocet/plugin-aimd/fixed-delay', '@avocet/plugin-aimd/shared-limits', '@avocet/plugin-robots/visiting-hours'],
    '@avocet/store-memory',
  ],
  delivery: [CORE, CORE_PLUGIN, CORE_SINK, CORE_STORE, CORE_TOOLS],
  'fetcher-http': [CORE, CORE_PLUGIN, CORE_STORE],
  'fetcher-browser': [CORE, CORE_PLUGIN, CORE_STORE],
  dashboard: [CORE, CORE_STORE, CORE_TOOLS, '@avocet/metrics/address'],
  extract: [CORE, CORE_PLUGIN, '@avocet/page'],
  page: [CORE, CORE_PLUGIN, CORE_STORE],
  metrics: [CORE, CORE_PLUGIN, CORE_STORE, CORE_TOOLS],
  'plugin-alerts': [CORE, CORE_PLUGIN, CORE_SINK, CORE_STORE, CORE_TOOLS, '@avocet/at-rest', '@avocet/sink-webhook/poster'],
  'plugin-files': [CORE, CORE_PLUGIN, CORE_STORE],
  'plugin-health': [CORE, CORE_PLUGIN, CORE_STORE],
  'plugin-freshness': [CORE, CORE_PLUGIN, '@avocet/plugin-recrawl'],
  'plugin-journal': [CORE, CORE_PLUGIN, CORE_STORE],
  'plugin-login': [CORE, CORE_PLUGIN, CORE_STORE],
  'plugin-recrawl': [CORE, CORE_PLUGIN, CORE_STORE],
  'plugin-sitemaps': [CORE, CORE_PLUGIN, CORE_STORE, '@avocet/fetcher-http/gzip'],
  'plugin-postgres': [CORE, CORE_PLUGIN, CORE_STORE, '@avocet/plugin-secrets/names', '@avocet/store-sql'],
  'plugin-secrets': [CORE, CORE_PLUGIN, CORE_STORE],
  'plugin-sqlite': [CORE, CORE_PLUGIN, CORE_STORE, '@avocet/plugin-secrets/names', '@avocet/store-sql'],
  'store-memory': [CORE, CORE_STORE],
  'store-sql': [CORE, CORE_STORE],
  'sink-files': [...FILES_MAY_IMPORT, CORE_STORE],
  'sink-parquet': FILES_MAY_IMPORT,
  'sink-postgres': SINK_MAY_IMPORT,
  'sink-s3': FILES_MAY_IMPORT,
  'sink-webhook': SINK_MAY_IMPORT,
  simulator: ['@avocet/config', CORE, CORE_PLUGIN, CORE_STORE, CORE_TOOLS, '@avocet/page'],
  'preset-polite': [
    ...POLICY_MAY_IMPORT,
    '@avocet/plugin-adaptive-timeout',
    '@avocet/plugin-aimd',
    '@avocet/plugin-aimd/fixed-delay',
    '@avocet/plugin-breaker',
    '@avocet/plugin-retry',
    '@avocet/plugin-robots',
  ],
  testkit: [
    '@avocet/config',
    '@avocet/at-rest',
    '@avocet/delivery',
    CORE,
    CORE_PLUGIN,
    CORE_SINK,
    CORE_STORE,
    CORE_TOOLS,
    '@avocet/simulator',
    '@avocet/page',
    '@avocet/plugin-aimd/fixed-delay',
    '@avocet/plugin-secrets',
    '@avocet/store-memory',
  ],
  project: [
    '@avocet/config',
    ...[CORE, CORE_PLUGIN, CORE_STORE, CORE_TOOLS],
    '@avocet/metrics/address',
    '@avocet/plugin-journal',
    '@avocet/plugin-secrets/names',
    '@avocet/preset-polite',
    // Loaded where a crawl has the option.
    ...['@avocet/plugin-files', '@avocet/plugin-proxies', '@avocet/plugin-sitemaps'],
    // Named by the room of stores alone.
    ...['@avocet/plugin-postgres', '@avocet/plugin-sqlite'],
    'avocet',
  ],
  dev: [
    ...[CORE, CORE_PLUGIN, CORE_STORE, CORE_TOOLS],
    '@avocet/at-rest',
    ...['@avocet/fetcher-http', '@avocet/page', '@avocet/plugin-robots', '@avocet/plugin-secrets/names'],
    ...PROJECT,
    '@avocet/simulator',
    'avocet',
  ],
  cli: [
    ...[CORE, CORE_PLUGIN, CORE_SINK, CORE_STORE, CORE_TOOLS],
    '@avocet/at-rest',
    '@avocet/dashboard',
    '@avocet/delivery',
    '@avocet/fetcher-http',
    '@avocet/metrics',
    '@avocet/metrics/address',
    ...['@avocet/plugin-health/findings', '@avocet/plugin-journal'],
    // The codec is loaded where an order adds URLs.
    ...['@avocet/plugin-login', '@avocet/plugin-secrets', '@avocet/plugin-secrets/names', '@avocet/plugin-traps'],
    // What `avocet identity` writes.
    ...['@avocet/plugin-robots', '@avocet/plugin-signature/identity'],
    ...PROJECT,
    '@avocet/dev',
    '@avocet/simulator',
    '@avocet/sink-files/outputs',
    'avocet',
  ],
}

describe('the house', () => {
  it('has something in it', () => {
    expect(sources.length).toBeGreaterThan(60)
  })

  it('lets core import no other package of Avocet', () => {
    expect(
      offences(({ home, imports }) => (home === 'core' ? imports.filter((name) => /^@?avocet(?:\/|$)/.test(name)) : [])),
    ).toEqual([])
  })

  it('lets plugins and the simulator import core only, by the doors that are meant for them', () => {
    expect(
      offences(({ home, imports }) =>
        imports.filter((name) => /^@?avocet(?:\/|$)/.test(name) && !(MAY_IMPORT[home] ?? POLICY_MAY_IMPORT).includes(name)),
      ),
    ).toEqual([])
  })

  it('gives every name of core one door, and authors of spiders few of them', () => {
    const namesOf = (path: string): string[] =>
      [...readFileSync(join(ROOT, 'packages/core/src', path), 'utf8').matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(
        (match) => (match[1] ?? '').split(',').flatMap((name) => name.trim().replace(/^type /, '') || []),
      )
    const doors = ['index.ts', 'doors/plugin.ts', 'doors/store.ts', 'doors/tools.ts', 'doors/sink.ts'].map(namesOf)
    const names = doors.flat()

    expect(names.filter((name, n) => names.indexOf(name) !== n)).toEqual([])
    expect(doors.map(({ length }) => length > 7)).toEqual([true, true, true, true, true])
    expect(doors[0]?.length).toBeLessThanOrEqual(30)
  })

  it('keeps every package inside its own walls', () => {
    expect(
      offences(({ path, home, imports }) =>
        imports.filter(
          (name) => name.startsWith('.') && !normalize(join(dirname(path), name)).startsWith(`packages/${home}/src/`),
        ),
      ),
    ).toEqual([])
  })

  it('lets one room of the command name the kinds of stores', () => {
    const isRoom = (path: string): boolean => path.startsWith('packages/project/src/store/')
    expect(
      offences(({ path, code }) =>
        !OF_COMMAND.test(path) || isRoom(path) ? [] : (code.match(/'@avocet\/plugin-(?:sqlite|postgres)'/g) ?? []),
      ),
    ).toEqual([])
  })

  it('gives each third party one door', () => {
    expect(
      offences(({ path, imports }) =>
        imports.filter((name) => DOORS.some(({ library, door }) => library.test(name) && !door.test(path))),
      ),
    ).toEqual([])
  })

  it('takes time and chance from nowhere but a clock file', () => {
    const machine = /\b(?:setTimeout|setInterval|Date\.now|Math\.random|performance\.now|new Date\(\))/g
    expect(offences(({ path, code }) => (/\/(?:virtual-)?clock\.ts$/.test(path) ? [] : (code.match(machine) ?? [])))).toEqual([])
  })

  it('prints through one writer for people and one for machines', () => {
    const printing = /(?<!-)\bconsole\.\w+|\bprocess\.std(?:out|err)\b|\b(?:stdout|stderr|stream|output)\??\.write\(/g
    const mayPrint = (path: string): boolean =>
      path.startsWith('packages/project/src/output/') || PRINTERS.some((allowed) => path === allowed)
    expect(offences(({ path, code }) => (mayPrint(path) ? [] : (code.match(printing) ?? [])))).toEqual([])
  })

  it('lets a command touch its process through its place only, so that it can run in any', () => {
    const touching = /\bprocess\.(?:env|cwd|exit|exitCode|argv|on|once|off|std(?:in|out|err))\b|\} = process$/gm
    const entry = /^packages\/(?:cli\/src\/(?:main|crawl\/worker-process)|project\/src\/place\/place)\.ts$/
    const isFree = (path: string): boolean => !OF_COMMAND.test(path) || entry.test(path)
    const ours = ({ code }: Source): string => code.replace(/`[^`]*`/g, '``')
    expect(offences((source) => (isFree(source.path) ? [] : (ours(source).match(touching) ?? [])))).toEqual([])
  })

  it('escapes no HTML: what makes none needs not escape it', () => {
    const escaping = /&(?:amp|lt|gt|quot|#39);/g
    expect(offences(({ path, code }) => (KNOWS_ESCAPES.test(path) ? [] : (code.match(escaping) ?? [])))).toEqual([])
  })

  it('defines no exported name twice', () => {
    const homes = new Map<string, Set<string>>()
    for (const { path, code } of sources)
      for (const [, name = ''] of code.matchAll(
        /^export (?:declare |abstract |async )*(?:const|let|function\*?|class|interface|type) (\w+)/gm,
      ))
        homes.set(name, (homes.get(name) ?? new Set()).add(path))
    const twice = [...homes].flatMap(([name, paths]) => (paths.size > 1 ? [`${name}: ${[...paths].join(', ')}`] : []))

    expect(twice).toEqual([])
  })

  it('has no import cycle, not even of types', () => {
    expect(cycles()).toEqual([])
  })

  it('has no file over 300 lines, and each says its purpose in its first line', () => {
    const rule = ({ text }: Source): string[] => [
      ...(text.split('\n').length > 301 ? [`${text.split('\n').length} lines`] : []),
      ...(/^(?:\/\/ |\/\*\* |#!)\S/.test(text) ? [] : ['the first line does not say what the file is for']),
    ]
    expect(offences(rule)).toEqual([])
  })

  it('has no comment wider than 160 characters', () => {
    const rule = ({ text }: Source): string[] =>
      text.split('\n').flatMap((line, n) => (/^ *(?:\/\/|\/?\*)/.test(line) && line.length > 160 ? [`line ${n + 1}`] : []))
    expect(offences(rule)).toEqual([])
  })

  it('names no file in a comment that is not there', () => {
    const known = [...sources.map(({ path }) => path), ...globSync('{bench,test,stress,scripts,examples}/**/*.ts', { cwd: ROOT })]
    const isThere = (name: string): boolean =>
      known.some((path) => path === name || (path.startsWith('packages/') && path.endsWith(`/${name}`)))
    // Files of users are in backticks or quotes, at the head of an example, or have absolute paths.
    const rule = ({ text }: Source): string[] =>
      text.split('\n').flatMap((line, n) => {
        const comment = /^ *(?:\/\/|\/?\*)(?! \/\/)(.*)|[\w;,)}] \/\/ (.*)$/.exec(line)
        const said = (comment?.[1] ?? comment?.[2] ?? '').replace(/`[^`]*`|'[^' ]*'/g, '')
        return (said.match(/(?<![\w./-])\w[\w./-]*\.tsx?\b/g) ?? []).flatMap((name) =>
          isThere(name) ? [] : [`${n + 1}: ${name}`],
        )
      })
    expect(offences(rule)).toEqual([])
  })

  it('has no function with more than 40 lines of its own', () => {
    const inSources = offences(({ text }) => longFunctions(text))
    const inExamples = globSync('examples/*/*.ts', { cwd: ROOT }).flatMap((path) =>
      longFunctions(readFileSync(join(ROOT, path), 'utf8')).map((what) => `${path}:${what}`),
    )
    expect([...inSources, ...inExamples]).toEqual([])
    expect(longFunctions(`function long() {\n${'  a()\n'.repeat(39)}}`)).toEqual(['1: long has 41 lines'])
  })

  it('has no place without a name', () => {
    expect(
      offences(({ path }) =>
        /\/(?:utils?|helpers?|common|misc|shared|types)(?:\/|\.ts$)/.test(path) ? ['name it after its subject'] : [],
      ),
    ).toEqual([])
  })

  it('has no hole in its types', () => {
    expect(offences(({ code }) => code.match(/@ts-ignore|@ts-nocheck|: any\b|as any\b|<any>/g) ?? [])).toEqual([])
  })
})

/** One cycle per strongly connected group, as `a -> b -> a`. */
function cycles(): string[] {
  const graph = new Map(
    sources.map(({ path, imports }) => [
      path,
      imports.filter((name) => name.startsWith('.')).map((name) => normalize(join(dirname(path), name))),
    ]),
  )
  const done = new Set<string>()
  const found: string[] = []
  const visit = (path: string, trail: readonly string[]): void => {
    const at = trail.indexOf(path)
    if (at >= 0) {
      found.push([...trail.slice(at), path].join(' -> '))
      return
    }
    if (done.has(path)) return
    for (const next of graph.get(path) ?? []) visit(next, [...trail, path])
    done.add(path)
  }
  for (const path of graph.keys()) visit(path, [])
  return found
}
