// Makes a module of an example in a doc comment: imports what it names of its own file and of the packages, and declares what it presupposes.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, type CodeBlock } from './code-blocks.ts'

const SPIDER = `import('@avocet/core').Spider`

/** What examples presuppose, by name: the reader knows what a spider is without being shown one. */
const STAND_INS: Readonly<Record<string, string>> = {
  spider: SPIDER,
  priceWatch: SPIDER,
  quotes: SPIDER,
  frontier: `import('@avocet/core/store').Frontier`,
  spec: `import('@avocet/core/store').CrawlSpec`,
  receiver: `import('@avocet/core/store').FetchReceiver`,
  request: `import('@avocet/core').Request`,
  response: `import('@avocet/core').Response`,
  clock: `import('@avocet/simulator').VirtualClock`,
  web: `import('@avocet/simulator').SimulatedWeb`,
  model: `import('@avocet/simulator').SiteModel`,
  ownPlugin: `(options: { perSecond: number }) => import('@avocet/core').Plugin`,
}

/** Where a name means something else. */
const STAND_INS_OF: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'packages/cli/src/view/frame.ts': {
    watcher: `import('${ROOT}/packages/cli/src/view/crawl-watcher.ts').CrawlWatcher`,
  },
  'packages/core/src/laws/commit-unit.ts': { request: `import('@avocet/core/store').NewRequest` },
}

/** Where examples import from what they name and do not declare. */
const DOORS = {
  core: { name: '@avocet/core', file: 'packages/core/src/index.ts' },
  plugin: { name: '@avocet/core/plugin', file: 'packages/core/src/doors/plugin.ts' },
  store: { name: '@avocet/core/store', file: 'packages/core/src/doors/store.ts' },
  tools: { name: '@avocet/core/tools', file: 'packages/core/src/doors/tools.ts' },
  atRest: { name: '@avocet/at-rest', file: 'packages/at-rest/src/at-rest.ts' },
  avocet: { name: 'avocet', file: 'packages/avocet/src/index.ts' },
  polite: { name: '@avocet/preset-polite', file: 'packages/preset-polite/src/index.ts' },
  simulator: { name: '@avocet/simulator', file: 'packages/simulator/src/index.ts' },
} as const

/** The text of a module that compiles if the example is true. */
export function exampleModule({ path, code }: CodeBlock): string {
  const own = exportsOf(path)
  const doors = [
    ...[DOORS.core, DOORS.plugin, DOORS.store, DOORS.tools, DOORS.atRest, DOORS.avocet, DOORS.polite],
    ...(/^packages\/(?:simulator|testkit)\//.test(path) ? [DOORS.simulator] : []),
  ]
  const standIns = { ...STAND_INS, ...STAND_INS_OF[path] }
  const words = new Set(withoutText(code).match(/\b[A-Za-z]\w*\b/g) ?? [])
  const lines: string[] = []
  for (const word of words) {
    if (new RegExp(`\\b(?:const|let|function|class|interface) ${word}\\b|\\bimport \\{[^}]*\\b${word}\\b`).test(code)) continue
    if (own.has(word)) lines.push(`import { ${word} } from '${ROOT}/${path}'`)
    else if (standIns[word] !== undefined && isFree(word, code)) lines.push(`declare const ${word}: ${standIns[word]}`)
    else {
      const door = doors.find(({ file }) => doorOf(file).has(word) || exportsOf(file).has(word))
      if (door !== undefined) lines.push(`import { ${word} } from '${door.name}'`)
    }
  }
  const body = /^yield\b/m.test(code) ? `export function* example(): Generator<unknown> {\n${code}}\n` : code
  return `${lines.join('\n')}\n${body}\nexport {}\n`
}

/** Whether `word` is used for more than the name of a member or key. */
function isFree(word: string, code: string): boolean {
  return new RegExp(`(?<!\\w|[^.]\\.)${word}\\b(?!:)`).test(withoutText(code))
}

/** Without comments, and without what stands in quotes. */
function withoutText(code: string): string {
  return code.replace(/'(?:[^'\\\n]|\\.)*'/g, `''`).replace(/\/\/.*$/gm, '')
}

function exportsOf(path: string): ReadonlySet<string> {
  const text = readFileSync(join(ROOT, path), 'utf8')
  return new Set([...text.matchAll(/^export (?:async )?(?:function\*?|const|class) (\w+)/gm)].map((match) => match[1] ?? ''))
}

/** The values that a door exports. */
function doorOf(file: string): ReadonlySet<string> {
  const text = readFileSync(join(ROOT, file), 'utf8')
  const lists = [...text.matchAll(/^export \{([^}]*)\}/gm)].map((match) => match[1] ?? '')
  return new Set(lists.flatMap((list) => list.split(',').map((name) => name.trim())).filter((name) => !name.startsWith('type ')))
}

/** A line of an example that says its own result: `parseDuration('90s', 'x') // 90_000`. */
const TOLD = /^(?!const|let|import)(.+?) \/\/ ('(?:[^'\\]|\\.)*'|-?[\d_.]+|true|false|undefined|\[.*\]|\{.*\})(?:[:,;] .*)?$/

/** The same module with each told result checked by `node:assert`; undefined when it tells none, or presupposes what is only declared. */
export function checkedModule(example: CodeBlock): string | undefined {
  const module = exampleModule(example)
  return module.includes('declare const') ? undefined : checkedText(module)
}

/** The text of a module with each told result checked; undefined when it tells none. */
export function checkedText(module: string): string | undefined {
  if (!module.split('\n').some((line) => TOLD.test(line))) return undefined
  const lines = module
    .split('\n')
    .map((line) => line.replace(TOLD, (_line, expression, told) => `deepStrictEqual(${String(expression)}, ${String(told)})`))
  return `import { deepStrictEqual } from 'node:assert'\n${lines.join('\n')}`
}
