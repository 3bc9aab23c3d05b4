// `avocet new`: writes a spider or a plugin with its test into the project, over nothing that is there. The templates are those of `npm create avocet`.
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { inspect } from 'node:util'
import { AvocetError, type Page, type Response } from '@avocet/core'
import { messageOf, HIDDEN_VALUE } from '@avocet/core/store'
import { didYouMean, headerOf, parseUrl } from '@avocet/core/plugin'
import { withoutCredentials } from '@avocet/plugin-secrets/names'
import { camelCase, templateFiles, writeFiles, type TemplateWords } from 'create-avocet'
import { checkSeedUrl } from '@avocet/project/load'
import { writeDocument, print, say, type Place, commandLine, commandName } from '@avocet/project/place'
import { printable, formatBytes } from '@avocet/project/text'
import type { VisitWish } from '../fetch/visit-flags.ts'
import { visitSession, type VisitSession } from '../fetch/visit-session.ts'

/** What was typed. */
export interface NewOptions {
  readonly kind: string
  /** Of files: `price-watch`. */
  readonly name: string
  /** Of a spider only. */
  readonly url?: string
  readonly json: boolean
  /** How the page at `url` is fetched. */
  readonly visit: VisitWish
}

type Kind = (typeof KINDS)[number]

const KINDS = ['spider', 'plugin'] as const
const NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/
const LONGEST_NAME = 60

/** A function cannot be called so: words of the language (ECMA-262 §12.7.2), and what the written files import. */
const TAKEN_WORDS =
  `await break case catch class const continue debugger default delete do else enum export extends false finally for function
  if implements import in instanceof interface let new null package private protected public return static super switch this throw true try
  typeof var void while with yield arguments eval definePlugin restsUntil pluginContract expect it vi`.split(/\s+/)

/** The crawl refuses two plugins of one name. */
const TAKEN_PLUGINS = ['adaptive-timeout', 'aimd', 'breaker', 'journal', 'practice-site', 'retry', 'robots']

/** What the written tests import, in the versions that the contracts are made for. */
const FOR_TESTS = {
  spider: { vite: '8.3.8', vitest: '5.1.0', '@avocet/simulator': '' },
  plugin: { vite: '8.3.8', vitest: '5.1.0', '@avocet/testkit': '' },
} as const satisfies Readonly<Record<Kind, Readonly<Record<string, string>>>>

/**
 * Writes the files, all of them or none, and prints their paths. The test of a spider is for the page at its URL, if that can be fetched.
 *
 * @throws AVO_USAGE, AVO_SEED_INVALID, AVO_OUTPUT_UNWRITABLE.
 */
export async function newCommand(options: NewOptions, place: Place): Promise<void> {
  const { folder, stdout, stderr } = place
  const kind = kindOf(options)
  const typed = seedOf(options)
  const { name, json } = options
  const project = await projectFolder(folder)
  const sampleOf = (seed: string): ReadonlyMap<string, string> => templateFiles(`_${kind}`, { name, seed, project: '' })
  const there = [...sampleOf(typed).keys()].map((path) => join(project, path)).find((path) => existsSync(path))
  if (there !== undefined) throw new AvocetError('AVO_USAGE', `new: expected no file at ${there}, found one; choose another name`)
  const { seed, found } = options.url === undefined ? { seed: typed } : await pageToRecord(typed, options.visit, place)
  const page = found !== undefined && 'page' in found ? found : undefined
  const files = page === undefined ? sampleOf(seed) : await filesFor(page, { name, seed })
  if (found !== undefined && 'problem' in found)
    say(stderr, `the page is not recorded, and the test reads a sample: ${found.problem}`)
  try {
    writeFiles(project, files)
  } catch (error) {
    throw new AvocetError('AVO_OUTPUT_UNWRITABLE', `new: expected to write into ${project}, got ${messageOf(error)}`, {
      cause: error,
    })
  }
  const paths = [...files.keys()].map((path) => relative(folder, join(project, path)))
  if (json) await writeDocument(stdout, { schema: 1, kind, name, files: paths, ...(page && { page: page.page.url.href }) })
  else await print(stdout, paths)
  // The user may have typed a reference.
  if (seed !== typed) say(stderr, howToSupply(name))
  say(
    stderr,
    await nextSteps({ kind, name, ...(options.url !== undefined && { seed }), isRecorded: page !== undefined }, project),
  )
}

type Recording = Exclude<Recorded['found'], { readonly problem: string }>

/** A spider that reads the title of the page, and a test that says which that is: as the test itself reads it. */
async function filesFor(
  { page: { url, contentType }, kept: { headers, body } }: Recording,
  { name, seed }: Pick<TemplateWords, 'name' | 'seed'>,
): Promise<ReadonlyMap<string, string | Uint8Array>> {
  const { recordedPage } = await import('@avocet/simulator')
  const type = headerOf(headers, 'content-type') ?? contentType
  const page = inQuotes(url.href)
  const recorded = recordedPage({ url: page, body, headers: { 'content-type': type } })
  const next = [...recorded.links('a[rel=next]')].map((link) => link.url)
  const words = {
    ...{ name, seed, project: '', page, type: inCode(type), title: inCode(recorded.title), claim: 'yields the title' },
    ...(next.length > 0 && { claim: 'yields the title and follows rel=next', next: `[${next.map(inCode).join(', ')}]` }),
  }
  const files: [string, string | Uint8Array][] = [...templateFiles('_recorded', words), [`test/pages/${name}.html`, body]]
  return new Map(files.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** As the files have their texts: in single quotes, where it has none. */
function inCode(text: string): string {
  return inspect(text, { compact: true, breakLength: Infinity, maxStringLength: null })
}

/** The kind, where the name is one that it can have. */
function kindOf({ kind: word, name, url }: NewOptions): Kind {
  const kind = KINDS.find((known) => known === word)
  if (kind === undefined) throw wrong(`expected spider or plugin, got '${word}'${didYouMean(word, KINDS)}`)
  if (!NAME.test(name) || name.length > LONGEST_NAME)
    throw wrong(`expected a name of at most ${LONGEST_NAME} lower-case letters, digits and '-', got '${name}'${better(name)}`)
  if (TAKEN_WORDS.includes(camelCase(name)))
    throw wrong(`expected a name that a function can have, got '${name}'; try my-${name}`)
  if (kind === 'plugin' && TAKEN_PLUGINS.includes(name))
    throw wrong(`expected a name that no built-in plugin has, got '${name}'; try my-${name}`)
  if (kind === 'plugin' && url !== undefined) throw wrong(`expected no URL for a plugin, got ${url}; a spider has one`)
  return kind
}

/** It goes between single quotes, which a URL may hold. */
function seedOf({ name, url: typed = `https://${name}.example/`, visit }: NewOptions): string {
  const url = parseUrl(checkSeedUrl(typed, 'new', visit.crawl.config.secretParameters))
  if (url === undefined) throw wrong(`expected a URL of at most 8,000 bytes, got one of ${typed.length}`)
  return inQuotes(url)
}

function inQuotes(url: string): string {
  return url.replaceAll("'", '%27')
}

function howToSupply(name: string): string {
  const [file, example] = [`spiders/${name}.ts`, '`https://shop.example/?api_key=${process.env.API_KEY}`']
  return `the seed in ${file} has ${HIDDEN_VALUE} in place of what was typed; supply it when the crawl runs, such as ${example}`
}

function better(name: string): string {
  const so = name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[-0-9]+|-+$/g, '')
  return NAME.test(so) && so.length <= LONGEST_NAME ? `; try ${so}` : ''
}

function wrong(what: string): AvocetError {
  return new AvocetError('AVO_USAGE', `new: ${what}; see ${commandName()} new --help`)
}

/** What was made. */
interface Made {
  readonly kind: Kind
  readonly name: string
  /** Only when it was typed. */
  readonly seed?: string
  /** Its page is the one of the test. */
  readonly isRecorded: boolean
}

async function nextSteps({ kind, name, seed, isRecorded }: Made, project: string): Promise<readonly string[]> {
  const wanted: Readonly<Record<string, string>> = FOR_TESTS[kind]
  const missing = await notInstalled(Object.keys(wanted), project)
  const install = missing.map((one) => (wanted[one] === '' ? one : `${one}@${wanted[one] ?? ''}`)).join(' ')
  return [
    ...(install === '' ? [] : [`its test needs packages that are not installed: npm install -D ${install}`]),
    ...(kind === 'spider'
      ? [
          'to test it, and to crawl with it:',
          `  npx vitest run test/${name}.test.ts`,
          `  ${commandLine(['crawl', name, '-O', `${name}.jsonl`])}`,
          ...(isRecorded
            ? [
                'its test reads the page as it is now; to try selectors on the recorded page:',
                `  ${commandLine(['shell', `test/pages/${name}.html`, '--spider', name])}`,
              ]
            : seed === undefined
              ? []
              : [
                  'to test it on its own page, record that in place of the sample, and write into the test what it holds:',
                  `  ${commandLine(['fetch', seed, '-o', `test/pages/${name}.html`])}`,
                ]),
        ]
      : [
          `npx vitest run test/${name}-plugin.test.ts, then add it to avocet.config.ts, or to the list of plugins that is there:`,
          `import { ${camelCase(name)} } from './plugins/${name}.ts'`,
          `plugins: [${camelCase(name)}()],`,
        ]),
  ]
}

/**
 * The project's folder, from `folder` upwards.
 *
 * @throws AVO_USAGE when there is none.
 */
async function projectFolder(folder: string): Promise<string> {
  const project =
    (await nearest(folder, (name) => CONFIG.test(name))) ?? (await nearest(folder, (name) => name === 'package.json'))
  if (project !== undefined) return project
  throw new AvocetError(
    'AVO_USAGE',
    `new: expected a project (avocet.config.ts or package.json) at ${folder} or above, found none; make one: npm create avocet`,
  )
}

const CONFIG = /^avocet\.config\.(?:ts|mts|js|mjs|json)$/

/** Which of `names` are not installed where a file of `project` would look for them. */
async function notInstalled(names: readonly string[], project: string): Promise<readonly string[]> {
  const missing: string[] = []
  for (const name of names) {
    const [scope, rest] = name.includes('/') ? name.split('/') : ['', name]
    const place = scope === '' ? 'node_modules' : `node_modules/${scope}`
    if ((await nearest(project, (entry) => entry === rest, place)) === undefined) missing.push(name)
  }
  return missing
}

/** The nearest folder upwards of which `place` has an entry that fits. */
async function nearest(folder: string, fits: (entry: string) => boolean, place = '.'): Promise<string | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    const entries = await readdir(`${at}/${place}`).catch(() => [])
    if (entries.some((entry) => fits(entry))) return at
    if (at === dirname(at)) return undefined
  }
}

/** It goes into the repository of the project. */
const MAX_BYTES = 2 * 2 ** 20

/** What goes into files of the project: nothing in it is a secret. */
interface Recorded {
  /** The URL that was asked for. */
  readonly seed: string
  /** A page and its answer, or in one line what came instead of it. */
  readonly found: { readonly page: Page; readonly kept: Pick<Response, 'headers' | 'body'> } | { readonly problem: string }
}

/** Fetches `url`. Only an HTML page that a handler would get is recorded. */
async function pageToRecord(url: string, wish: VisitWish, place: Place): Promise<Recorded> {
  // What the configuration adds is known once it can be read.
  let secret = wish.crawl.config.secretParameters
  const recorded = (found: Recorded['found']): Recorded => ({ seed: withoutCredentials(url, secret), found })
  try {
    const session = await visitSession({ ...wish, refetch: true }, place)
    secret = session.config.secretParameters
    try {
      return recorded(found(await session.fetch(url)))
    } finally {
      await session.close()
    }
  } catch (error) {
    if (!(error instanceof AvocetError)) throw error
    return recorded({ problem: printable(error.message) })
  }
}

function found({ page, kept, report }: Awaited<ReturnType<VisitSession['fetch']>>): Recorded['found'] {
  if (report.problem !== undefined || page === undefined) return { problem: report.problem ?? 'expected an answer, got none' }
  if (!page.isHtml) return { problem: `expected an HTML page, got ${printable(page.contentType)}` }
  const { byteLength } = page.response.body
  if (byteLength > MAX_BYTES)
    return { problem: `expected a page of at most ${formatBytes(MAX_BYTES)}, got ${formatBytes(byteLength)}` }
  return kept === undefined
    ? { problem: 'expected a page that can be searched for secrets, got UTF-16 or the like' }
    : { page, kept }
}
