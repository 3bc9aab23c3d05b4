// The packages as they are published: each a few files instead of hundreds, because at each start of a command loading modules cost more than all else.
//
// `tsc` makes a file of each source file, and in a clone those are what runs: they are never older than the last build. What goes to the registry is bundled from
// them, package by package: packages share what they import from each other, but for small parts that one takes along. Three kinds of files keep their paths:
// doors, files that use `import.meta.url`, and programs that are started by their path. Types stay as they are.
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, posix, relative, resolve } from 'node:path'
import { rolldown, type Plugin } from 'rolldown'

const ROOT = join(import.meta.dirname, '..')
const IMPORTS = /^(?:import|export) (?:[^'=(;]*from )?'([^']*)'/gm
const LATER_IMPORTS = /import\('([^']*)'\)/g
/** Of a door: `@avocet/core` of `@avocet/core/plugin`. */
const PACKAGE = /^(?:@[^/]+\/)?[^/]+/
/** Other than to load a package. */
const LOOKS_BESIDE = /(?<!createRequire\()import\.meta\.(?:url|dirname|filename)/
/** What a program loads together, first things first: each list becomes one chunk, with what it is the first to need. Of other packages, all doors. */
const TOGETHER: Readonly<Record<string, readonly (readonly string[])[]>> = {
  '@avocet/cli': [['index'], ['run-command-line'], ['crawl/crawl', 'crawl/one-run']],
}
/**
 * Doors that a package has a copy of in its own files, and needs no other file for: of the CPU time of a crawl of one page that saves a sixth, of its memory
 * 8 MB. Never a door of core: it has the classes of errors, which `instanceof` knows. None of these has state that its copies would have to share.
 */
const TAKES_ALONG: Readonly<Record<string, readonly string[]>> = {
  '@avocet/cli': [
    ...['avocet', '@avocet/at-rest', '@avocet/config', '@avocet/dev', '@avocet/metrics/address', '@avocet/store-memory'],
    ...['command', 'load', 'log', 'options', 'place', 'plan', 'store', 'text'].map((door) => `@avocet/project/${door}`),
    ...['@avocet/preset-polite', '@avocet/plugin-adaptive-timeout', '@avocet/plugin-aimd', '@avocet/plugin-aimd/fixed-delay'],
    ...['@avocet/plugin-breaker', '@avocet/plugin-journal', '@avocet/plugin-retry', '@avocet/plugin-robots'],
    ...['@avocet/plugin-health/findings', '@avocet/plugin-secrets/names', '@avocet/plugin-traps'],
  ],
  '@avocet/plugin-sqlite': ['@avocet/store-sql', '@avocet/plugin-secrets/names'],
}

/** Bundles the package in `folder`, in place. */
export async function bundle(folder: string): Promise<void> {
  const dist = join(folder, 'dist')
  const files = globSync('**/*.js', { cwd: dist, exclude: ['bundle/**'] }).map((path) => join(dist, path))
  if (files.length < 2) return
  const { name, doors } = readPackage(folder)
  const along = takenAlong(name)
  const importsOf = (file: string): Imports => readImports(file, along)
  const entries = entriesOf(files, doors, importsOf)
  const together = TOGETHER[name]?.map((paths) => paths.map((path) => join(dist, `${path}.js`))) ?? [doors]
  const chunks = chunksOf([...together, ...entries.map((file) => [file])], importsOf)
  const build = await rolldown({
    input: Object.fromEntries(entries.map((file) => [file.slice(dist.length + 1, -'.js'.length), file])),
    platform: 'node',
    external: (id) => !id.startsWith('.') && !id.startsWith('/') && !along.has(id),
    resolve: { alias: Object.fromEntries([...along].map(([door, file]) => [`${door}$`, file])) },
    checks: { ineffectiveDynamicImport: false },
    plugins: [looksFromItsPath(dist), builtinsWithoutFacade(), inAscii()],
  })
  const made = join(folder, 'bundled')
  try {
    await build.write({
      dir: made,
      format: 'esm',
      comments: { jsdoc: false },
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name]-[hash].js',
      codeSplitting: {
        groups: chunks.map((files, n) => ({
          name: `part-${n}`,
          test: (id) => files.has(id) && !entries.includes(id),
          priority: chunks.length - n,
          minShareCount: 2,
        })),
      },
    })
  } finally {
    await build.close()
  }
  for (const file of files) rmSync(file)
  cpSync(made, dist, { recursive: true })
  rmSync(made, { recursive: true })
  if (along.size > 0) needWhatTheyNeed(folder, [...along.keys()])
}

/** Doors that the package `name` takes along, each with its file: as this workspace built it, for those of `folder` may be bundled already. */
function takenAlong(name: string): ReadonlyMap<string, string> {
  const doors = TAKES_ALONG[name] ?? []
  return new Map(
    doors.map((door) => {
      const { exports } = readJson(folderOf(door))
      return [door, join(folderOf(door), exports[`.${door.replace(PACKAGE, '')}`]?.['default'] ?? '')]
    }),
  )
}

/** What is taken along imports from the package that takes it: some package managers let a package see its own dependencies alone. */
function needWhatTheyNeed(folder: string, doors: readonly string[]): void {
  const json = readJson(folder)
  const dependencies = Object.assign(
    {},
    ...doors.map((door) => readJson(folderOf(door)).dependencies),
    json.dependencies,
  ) as object
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ ...json, dependencies }, null, 2)}\n`)
}

/** Of a package of this workspace, by one of its doors. */
function folderOf(door: string): string {
  return join(ROOT, 'packages', (PACKAGE.exec(door)?.[0] ?? '').replace('@avocet/', ''))
}

/**
 * What belongs into one chunk: all that one of `starts` is the first to need at once; then, in the order in which a program meets them, all that something
 * imported later is the first to need. So a start loads few files, and little that only others need. No chunk needs one that comes after it.
 */
function chunksOf(starts: readonly (readonly string[])[], importsOf: (file: string) => Imports): readonly ReadonlySet<string>[] {
  const met = new Set<string>()
  const queue = [...starts]
  const chunks = []
  for (const start of queue) {
    const chunk = new Set<string>()
    const take = (file: string): void => {
      if (met.has(file)) return
      met.add(file)
      chunk.add(file)
      const { atOnce, later } = importsOf(file)
      for (const needed of atOnce) take(needed)
      queue.push(...later.map((one) => [one]))
    }
    for (const file of start) take(file)
    if (chunk.size > 0) chunks.push(chunk)
  }
  return chunks
}

/** What looks for files beside itself does so from its own path, also out of a chunk that several doors share. */
function looksFromItsPath(dist: string): Plugin {
  const place = /"avocet:(url|dirname|filename) of (.+?)"/g
  return {
    name: 'looks-from-its-path',
    transform(code, id) {
      if (!LOOKS_BESIDE.test(code)) return null
      if (!id.startsWith(dist)) throw new Error(`expected ${id} to be taken along, got a file that looks beside itself`)
      return code.replace(
        /import\.meta\.(url|dirname|filename)\b/g,
        (_, kind: string) => `"avocet:${kind} of ${relative(dist, id)}"`,
      )
    },
    renderChunk(code, chunk) {
      return code.replace(place, (_, kind: string, path: string) => {
        const from = posix.relative(posix.dirname(chunk.fileName), kind === 'dirname' ? posix.dirname(path) : path)
        if (kind === 'url') return `new URL(${JSON.stringify(from)}, import.meta.url).href`
        return `(import.meta.dirname + ${JSON.stringify(`/${from}`)})`
      })
    },
  }
}

/**
 * What comes from Node itself is taken from the module, as `require` does. `import` reads each of its exports first, also those that load as much again: 11 ms of
 * a start of 170.
 */
function builtinsWithoutFacade(): Plugin {
  const imported = /^import (?:(\w+)|\{([^}]*)\}) from "(node:[\w/]+)";$/gm
  return {
    name: 'builtins-without-facade',
    renderChunk: (code) =>
      code.replace(imported, (_, whole: string | undefined, named: string | undefined, id: string) => {
        const names = whole ?? `{${(named ?? '').replaceAll(' as ', ': ')}}`
        return `const ${names} = process.getBuiltinModule(${JSON.stringify(id)});`
      }),
  }
}

/**
 * With one character that is not Latin-1, an ellipsis say, V8 keeps two bytes for each of a file, and reads all of them whenever it compiles a function. Last of
 * all, for what rolldown prints has no escapes.
 */
function inAscii(): Plugin {
  const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return {
    name: 'in-ascii',
    generateBundle(_, files) {
      for (const file of Object.values(files)) if (file.type === 'chunk') file.code = file.code.replaceAll(/[^\0-\x7f]/g, escaped)
    },
  }
}

interface PackageJson {
  readonly name: string
  readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly dependencies?: Readonly<Record<string, string>>
}

function readJson(folder: string): PackageJson {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as PackageJson
}

function readPackage(folder: string): { readonly name: string; readonly doors: readonly string[] } {
  const { name, exports } = readJson(folder)
  return { name, doors: Object.values(exports).map((door) => join(folder, door['default'] ?? '')) }
}

/** What keeps its path. */
function entriesOf(files: readonly string[], doors: readonly string[], importsOf: (file: string) => Imports): readonly string[] {
  const imported = new Set(files.map(importsOf).flatMap(({ atOnce, later }) => [...atOnce, ...later]))
  return files.filter((file) => doors.includes(file) || !imported.has(file))
}

type Imports = Readonly<Record<'atOnce' | 'later', readonly string[]>>

/** Files that it is bundled with: those that it cannot run without, and those that it may import later. */
function readImports(file: string, along: ReadonlyMap<string, string>): Imports {
  const text = readFileSync(file, 'utf8')
  const found = (pattern: RegExp): readonly string[] =>
    [...text.matchAll(pattern)]
      .map(([, id = '']) => along.get(id) ?? (id.startsWith('.') ? resolve(dirname(file), id) : ''))
      .filter((path) => existsSync(path))
  return { atOnce: found(IMPORTS), later: found(LATER_IMPORTS) }
}

/** All packages of the last build as they are published, in a folder `name` that is like this one. What they depend on is this workspace's. */
export async function publishedTree(name = 'avocet-published'): Promise<string> {
  const tree = join(ROOT, 'node_modules/.cache', name)
  rmSync(tree, { recursive: true, force: true })
  for (const path of globSync('packages/*/package.json', { cwd: ROOT })) {
    const [from, to] = [dirname(join(ROOT, path)), dirname(join(tree, path))]
    // A build leaves behind what it made of sources that are gone.
    const isStale = (file: string): boolean =>
      file.startsWith(join(from, 'dist')) &&
      file.endsWith('.js') &&
      !file.includes('/dist/bundle/') &&
      !existsSync(file.replace('/dist/', '/src/').replace(/js$/, 'ts'))
    // As its package.json leaves out: it is in dist/bundle.
    const page = join(ROOT, 'packages/dashboard/dist/page')
    const filter = (file: string): boolean => file !== page && !isStale(file)
    for (const part of ['package.json', 'README.md', 'LICENSE', 'bin', 'dist', 'monitoring', 'templates', 'node_modules'])
      if (existsSync(join(from, part)))
        cpSync(join(from, part), join(to, part), { recursive: true, verbatimSymlinks: true, filter })
    const link = join(tree, 'node_modules', readJson(to).name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(to, link)
    await bundle(to)
  }
  return tree
}
