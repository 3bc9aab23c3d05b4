// Packs all packages as they are released, bundled, into a folder: `npm run pack -- FOLDER`.
import { globSync, mkdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { run } from './as-a-stranger.ts'
import { publishedTree } from './published.ts'

/** Makes the folder `to`, and writes an archive per package into it. */
export async function packAll(to: string): Promise<void> {
  // CI packs several times at once.
  const tree = await publishedTree(`avocet-pack-${process.pid}`)
  try {
    const folders = globSync('packages/*', { cwd: tree }).map((path) => join(tree, path))
    mkdirSync(to, { recursive: true })
    const words = ['npm', 'pack', '--silent', '--pack-destination', to, ...folders]
    run(`npm pack (${folders.length} packages)`, words, { folder: to, path: process.env['PATH'] ?? '' })
  } finally {
    rmSync(tree, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  const [to, ...others] = process.argv.slice(2)
  if (to === undefined || others.length > 0) {
    console.error('pack: expected one folder for the archives: npm run pack -- FOLDER')
    process.exit(2)
  }
  await packAll(resolve(to))
}
