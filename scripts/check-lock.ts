// Fails when a package-lock.json (of the workspace, of the site of docs/) lacks an entry for an optional dependency: `npm ci` refuses such a lock on some platforms.
//
// Some releases come without all their platform packages; `npm install` then writes an incomplete lock without a word.
import { readFileSync } from 'node:fs'

interface LockEntry {
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

type Packages = Readonly<Record<string, LockEntry>>

/** Whether `name`, asked for by the package at `from`, is in the lock: nested beside it or in any folder above. */
function isLocked(packages: Packages, from: string, name: string): boolean {
  for (let place = from; ; place = place.slice(0, Math.max(0, place.lastIndexOf('node_modules/') - 1))) {
    if (`${place === '' ? '' : `${place}/`}node_modules/${name}` in packages) return true
    if (place === '') return false
  }
}

const missing = ['package-lock.json', 'docs/.vitepress/package-lock.json'].flatMap((path) => {
  const { packages } = JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')) as { packages: Packages }
  return Object.entries(packages).flatMap(([place, entry]) =>
    Object.keys(entry.optionalDependencies ?? {})
      .filter((name) => !isLocked(packages, place, name))
      .map((name) => `${name} (asked for by ${place === '' ? path : place})`),
  )
})

if (missing.length > 0) {
  console.error(`A lock is incomplete, so \`npm ci\` will fail somewhere. Missing:\n  ${missing.join('\n  ')}`)
  console.error('Choose a release whose platform packages are all published, then run npm install again.')
  process.exit(1)
}
