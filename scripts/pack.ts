// Packs all packages as they are released, bundled, into a folder: `npm run pack -- FOLDER`.
import { globSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { run } from './as-a-stranger.ts'
import { bundle } from './published.ts'

const ROOT = join(import.meta.dirname, '..')

/** Makes the folder `to`, and writes an archive per package into it. */
export async function packAll(to: string): Promise<void> {
  const place = mkdtempSync(join(tmpdir(), 'avocet-pack-'))
  try {
    const plain = join(place, 'plain')
    pack(
      globSync('packages/*/package.json', { cwd: ROOT }).map((path) => dirname(join(ROOT, path))),
      plain,
    )
    const unpacked = globSync('*.tgz', { cwd: plain }).map((archive) => {
      const folder = join(place, archive.slice(0, -'.tgz'.length))
      mkdirSync(folder)
      run(`unpack ${archive}`, ['tar', '-xzf', join(plain, archive), '--strip-components=1'], { folder, path: ownPath() })
      return folder
    })
    for (const folder of unpacked) await bundle(folder)
    pack(unpacked, to)
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}

function pack(folders: readonly string[], to: string): void {
  mkdirSync(to, { recursive: true })
  const words = ['npm', 'pack', '--silent', '--pack-destination', to, ...folders]
  run(`npm pack (${String(folders.length)} packages)`, words, { folder: to, path: ownPath() })
}

function ownPath(): string {
  return process.env['PATH'] ?? ''
}

if (import.meta.main) {
  const [to, ...others] = process.argv.slice(2)
  if (to === undefined || others.length > 0) {
    console.error('pack: expected one folder for the archives: npm run pack -- FOLDER')
    process.exit(2)
  }
  await packAll(resolve(to))
}
