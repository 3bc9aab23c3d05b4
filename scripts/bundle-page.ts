// Bundles the page of the dashboard: `packages/dashboard/src/page` becomes five files in `packages/dashboard/dist/bundle`, which its server reads.
//
// Run by `npm ci` (prepare) and by the build of the package. Needs no other package to be built: what the page imports from elsewhere are types, and sources.
import { copyFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'

const ROOT = join(import.meta.dirname, '..')
const PAGE = join(ROOT, 'packages/dashboard/src/page')
const BUNDLE = join(ROOT, 'packages/dashboard/dist/bundle')

await mkdir(BUNDLE, { recursive: true })
for (const name of ['app', 'login']) await writeFile(join(BUNDLE, `${name}.js.new`), await script(name))
await writeFile(join(BUNDLE, 'app.css.new'), await style())
for (const name of ['index.html', 'login.html']) await copyFile(join(PAGE, name), join(BUNDLE, `${name}.new`))
// Whoever reads meanwhile finds a whole file.
for (const name of ['app.js', 'login.js', 'app.css', 'index.html', 'login.html'])
  await rename(join(BUNDLE, `${name}.new`), join(BUNDLE, name))
if (process.argv.includes('--sizes')) await printSizes()

async function script(name: string): Promise<string> {
  const build = await rolldown({
    input: join(PAGE, `${name}.ts`),
    platform: 'browser',
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  })
  try {
    const { output } = await build.generate({ format: 'esm', minify: true })
    const [chunk, ...others] = output
    if (others.length > 0) throw new Error(`expected one file of ${name}.ts, got ${output.length}`)
    return chunk.code
  } finally {
    await build.close()
  }
}

/** Ours goes last, so that it decides. */
async function style(): Promise<string> {
  const chart = await readFile(join(ROOT, 'node_modules/uplot/dist/uPlot.min.css'), 'utf8')
  const own = await readFile(join(PAGE, 'style.css'), 'utf8')
  return `${chart}\n${own.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\n\s*/g, '\n')}`
}

async function printSizes(): Promise<void> {
  let total = 0
  for (const name of ['index.html', 'app.css', 'app.js']) {
    const bytes = gzipSync(await readFile(join(BUNDLE, name))).byteLength
    total += bytes
    console.log(`${name} ${(bytes / 1024).toFixed(1)} kB gzipped`)
  }
  console.log(`in all ${(total / 1024).toFixed(1)} kB`)
}
