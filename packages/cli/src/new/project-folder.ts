// The project that `avocet new` writes into: the nearest folder upwards with a configuration, else with a package.json.
import { readdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { AvocetError } from '@avocet/core'

const CONFIG = /^avocet\.config\.(?:ts|mts|js|mjs|json)$/

/**
 * The project's folder, from `folder` upwards.
 *
 * @throws AVO_USAGE when there is none.
 */
export async function projectFolder(folder: string): Promise<string> {
  const project =
    (await nearest(folder, (name) => CONFIG.test(name))) ?? (await nearest(folder, (name) => name === 'package.json'))
  if (project !== undefined) return project
  throw new AvocetError(
    'AVO_USAGE',
    `new: expected a project (avocet.config.ts or package.json) at ${folder} or above, found none; make one: npm create avocet`,
  )
}

/** Which of `names` are not installed where a file of `project` would look for them. */
export async function notInstalled(names: readonly string[], project: string): Promise<readonly string[]> {
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
