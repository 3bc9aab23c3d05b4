// `avocet identity`: writes the private key of a crawler, and the documents by which sites check its signatures.
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { AvocetError } from '@avocet/core'
import { messageOf } from '@avocet/core/store'
import { type CrawlOptions, given } from '@avocet/project/options'
import { type CrawlPlan, planOf } from '@avocet/project/plan'
import { print, say, writeDocument, type Place } from '@avocet/project/place'
import { printable } from '@avocet/project/text'
import type { Described } from '@avocet/plugin-signature/identity'

/** What was typed. */
export type IdentityWish = KeyWish | PageWish

interface KeyWish {
  readonly action: 'key'
  readonly path: string
  /** From now on. */
  readonly afterMs: number
  readonly json: boolean
}

interface PageWish {
  readonly action: 'page'
  readonly path: string
  readonly contact?: string
  readonly purpose?: string
  readonly options: CrawlOptions
}

const NO_PLUGIN =
  "expected signature() of @avocet/plugin-signature among the plugins of the configuration, got none: plugins: [signature({ key: 'keys', agent: 'https://bot.example' })]"

/** Throws AVO_OUTPUT_UNWRITABLE, also for a key that is there already, and what planning a crawl throws. */
export function identityCommand(wish: IdentityWish, place: Place): Promise<void> {
  return wish.action === 'key' ? writeKey(wish, place) : writePages(wish, place)
}

async function writeKey({ path, afterMs, json }: KeyWish, { folder, clock, stdout, stderr }: Place): Promise<void> {
  const { newKey } = await import('@avocet/plugin-signature/identity')
  const { text, keyid } = newKey(clock.now() + afterMs)
  await written(resolve(folder, path), text, { mode: 0o600, flag: 'wx' })
  say(stderr, `written: ${printable(path)}; keep it out of version control`)
  if (json) await writeDocument(stdout, { schema: 1, path, keyid })
  else await print(stdout, keyid)
}

async function writePages({ path, options, contact, purpose }: PageWish, place: Place): Promise<void> {
  const { folder, clock, stdout, stderr } = place
  const [{ publishedIdentity, readKeys }, plan] = await Promise.all([
    import('@avocet/plugin-signature/identity'),
    planOf(options, place),
  ])
  const { key, agent } = plan.config.plugins.find(({ name }) => name === 'signature')?.options ?? {}
  if (typeof key !== 'string' || typeof agent !== 'string') throw new AvocetError('AVO_CONFIG_INVALID', NO_PLUGIN)
  const described = { ...(await describedBy(plan)), agent, ...given('contact', contact), ...given('purpose', purpose) }
  const { files, directory, fields } = publishedIdentity(described, readKeys(resolve(folder, key)), clock.now())
  for (const [url, text] of Object.entries(files)) {
    await written(join(resolve(folder, path), url), text, { flag: 'w' })
    say(stderr, `written: ${printable(join(path, url))}`)
  }
  if (options.json) return writeDocument(stdout, { schema: 1, agent, directory, files: Object.keys(files), fields })
  say(stderr, `Have the server send these fields with ${directory}:`)
  await print(
    stdout,
    Object.entries(fields).map(([name, value]) => `${name}: ${value}`),
  )
}

/** What the configuration says of the crawler. */
async function describedBy({ config, settled }: CrawlPlan): Promise<Omit<Described, 'agent'>> {
  const { agentOf } = await import('@avocet/plugin-robots')
  const userAgent = String(settled.get('userAgent')?.value)
  const policy = (name: string) => [...config.plugins, ...config.policies].find((plugin) => plugin.policy === name)
  const [rate, robots] = [policy('rate'), policy('robots')]
  const maxRps = config.hosts?.['*']?.maxRps ?? rate?.options?.['maxRps'] ?? (rate?.name === 'aimd' ? LEARNED_AT_MOST : undefined)
  return {
    userAgent,
    token: agentOf(userAgent),
    obeysRobots: robots !== undefined && robots.options?.['ignore'] !== true && config.hosts?.['*']?.ignoreRobots !== true,
    ...(typeof maxRps === 'number' && { maxRps }),
  }
}

/** Requests per second: the default of `maxRps` of the learned rate. */
const LEARNED_AT_MOST = 10

async function written(path: string, text: string, options: { readonly flag: string; readonly mode?: number }): Promise<void> {
  try {
    await makeFolder(dirname(path))
    await writeFile(path, text, options)
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST'
    const got = isThere ? 'got one that is there already; a new key needs a file of its own' : `got ${messageOf(error)}`
    throw new AvocetError('AVO_OUTPUT_UNWRITABLE', `identity: expected to write ${path}, ${got}`, { cause: error })
  }
}

/** mkdir with `recursive` never ends where a folder that is there takes none, as /proc. */
async function makeFolder(path: string): Promise<void> {
  if (existsSync(path)) return
  await makeFolder(dirname(path))
  await mkdir(path)
}
