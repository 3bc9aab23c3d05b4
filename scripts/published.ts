// The packages as they are published: each a few files instead of hundreds, because at each start of a command loading modules cost more than all else.
//
// `tsc` makes a file of each source file, and in a clone those are what runs: they are never older than the last build. What goes to the registry is bundled from
// them, package by package, so that packages share what they import from each other. Doors keep their paths. So does what looks for files beside itself (by
// `import.meta.url`), and what nothing imports: programs of their own, which something starts by their path. Types stay as they are.
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join, posix, relative, resolve } from 'node:path'
import { rolldown, type Plugin } from 'rolldown'

const ROOT = join(import.meta.dirname, '..')
const IMPORTS = /(?:from|import)\s*\(?\s*'(\.[^']*)'/g
/** Other than to load a package. */
const LOOKS_BESIDE = /(?<!createRequire\()import\.meta\.(?:url|dirname|filename)/

/** Bundles the package in `folder`, in place. */
export async function bundle(folder: string): Promise<void> {
  const dist = join(folder, 'dist')
  const files = globSync('**/*.js', { cwd: dist, exclude: ['bundle/**'] }).map((path) => join(dist, path))
  if (files.length < 2) return
  const build = await rolldown({
    input: Object.fromEntries(entriesOf(folder, files).map((file) => [file.slice(dist.length + 1, -'.js'.length), file])),
    platform: 'node',
    external: (id) => !id.startsWith('.') && !id.startsWith('/'),
    plugins: [looksFromItsPath(dist)],
  })
  const made = join(folder, 'bundled')
  try {
    await build.write({
      dir: made,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name]-[hash].js',
      codeSplitting: { groups: [{ name: 'shared', minShareCount: 2 }] },
    })
  } finally {
    await build.close()
  }
  for (const file of files) rmSync(file)
  cpSync(made, dist, { recursive: true })
  rmSync(made, { recursive: true })
}

/** What looks for files beside itself does so from its own path, also out of a chunk that several doors share. */
function looksFromItsPath(dist: string): Plugin {
  const place = /"avocet:(url|dirname|filename) of (.+?)"/g
  return {
    name: 'looks-from-its-path',
    transform(code, id) {
      if (!LOOKS_BESIDE.test(code)) return null
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

/** What keeps its path. */
function entriesOf(folder: string, files: readonly string[]): readonly string[] {
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>
  }
  const doors = new Set(Object.values(exports).map((door) => join(folder, door['default'] ?? '')))
  const texts = files.map((file) => [file, readFileSync(file, 'utf8')] as const)
  const imported = new Set(
    texts.flatMap(([file, text]) => [...text.matchAll(IMPORTS)].map(([, path = '']) => resolve(dirname(file), path))),
  )
  return texts.flatMap(([file, text]) => (doors.has(file) || !imported.has(file) || LOOKS_BESIDE.test(text) ? [file] : []))
}

/** All packages of the last build as they are published, in a folder of their own that is like this one. What they depend on is this workspace's. */
export async function publishedTree(): Promise<string> {
  const tree = join(ROOT, 'node_modules/.cache/avocet-published')
  rmSync(tree, { recursive: true, force: true })
  for (const path of globSync('packages/*/package.json', { cwd: ROOT })) {
    const [from, to] = [dirname(join(ROOT, path)), dirname(join(tree, path))]
    // A build leaves behind what it made of sources that are gone.
    const isStale = (file: string): boolean =>
      file.startsWith(join(from, 'dist')) &&
      file.endsWith('.js') &&
      !existsSync(file.replace('/dist/', '/src/').replace(/js$/, 'ts'))
    const filter = (file: string): boolean => !isStale(file)
    for (const part of ['package.json', 'bin', 'dist', 'node_modules'])
      if (existsSync(join(from, part)))
        cpSync(join(from, part), join(to, part), { recursive: true, verbatimSymlinks: true, filter })
    const link = join(tree, 'node_modules', (JSON.parse(readFileSync(join(to, 'package.json'), 'utf8')) as { name: string }).name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(to, link)
    await bundle(to)
  }
  return tree
}
