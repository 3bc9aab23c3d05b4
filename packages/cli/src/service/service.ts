// `avocet service print`: what systemd, pm2 or Kubernetes needs to run a crawl, from what was typed and what the configuration says of it.
import { userInfo } from 'node:os'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AvocetError } from '@avocet/core'
import { didYouMean } from '@avocet/core/plugin'
import { checkLogPlace } from '../crawl/log-place.ts'
import type { ExitCode } from '../exit-codes.ts'
import { plannedCrawl } from '../load/plan-crawl.ts'
import { BUILT_IN } from '../load/precedence.ts'
import { IN_MEMORY, localPlace, storePathOf } from '../load/store-path.ts'
import type { CrawlOptions } from '../options/crawl-options.ts'
import { writeFileText } from '../output/machines.ts'
import type { Place } from '../place.ts'
import { readPassword } from '../ui/page-password.ts'
import { kubernetesManifest } from './kubernetes-manifest.ts'
import { pm2File } from './pm2-file.ts'
import type { ServiceFacts } from './service-facts.ts'
import { isBareWord, SERVICE_KINDS } from './service-kinds.ts'
import { systemdUnit } from './systemd-unit.ts'

/** What was typed. */
export interface ServiceWish {
  readonly kind: (typeof SERVICE_KINDS)[number]
  readonly options: CrawlOptions
  /** Of the crawl: `crawl`, its targets and options. */
  readonly words: readonly string[]
}

/** Beside what requests in flight are given: sinks write what they lack, and the store is closed. */
const STOP_MARGIN_MS = 60_000

const WRITERS = { systemd: systemdUnit, pm2: pm2File, kubernetes: kubernetesManifest } as const

/** Prints it. Throws AVO_USAGE, AVO_SPIDER_…, AVO_CONFIG_… for a crawl that would not begin. */
export async function serviceCommand({ kind, options, words }: ServiceWish, place: Place): Promise<ExitCode> {
  const { folder, stdout } = place
  const planned = await plannedCrawl(options, place).catch((error: unknown) => {
    throw unknownKind(error, options.targets)
  })
  const { config, configuredStore } = planned
  checkLogPlace(options, planned, place)
  const { passwordPath } = options.ui ?? {}
  // A pod has files of its own.
  if (passwordPath !== undefined && kind !== 'kubernetes')
    await readPassword(passwordPath, { name: '--ui-password-file', folder })
  const store = options.store ?? configuredStore
  if (store === IN_MEMORY)
    throw new AvocetError(
      'AVO_USAGE',
      `service: expected a store that outlives the process, got ${IN_MEMORY}; leave out --store, or name a file`,
    )
  const { drainMs = BUILT_IN.drainMs, spider } = config
  const facts: ServiceFacts = {
    name: spider.name,
    folder,
    user: userInfo().username,
    node: process.execPath,
    program: fileURLToPath(new URL('../../bin/avocet.js', import.meta.url)),
    words,
    stopMs: drainMs + STOP_MARGIN_MS,
    writes: writtenFolders(storePathOf(spider.name, folder, store), options, folder),
  }
  await writeFileText(stdout, WRITERS[kind](facts))
  return 0
}

/** The only word may be a kind that there is not, and no spider. */
function unknownKind(error: unknown, [word = '', ...others]: readonly string[]): unknown {
  const isWord =
    others.length === 0 && isBareWord(word) && error instanceof AvocetError && error.message.includes(`got '${word}'`)
  if (!isWord) return error
  const expected = `expected systemd, pm2 or kubernetes, or a file, a URL or the name of a spider, got '${word}'`
  return new AvocetError('AVO_USAGE', `service print: ${expected}${didYouMean(word, SERVICE_KINDS)}`, { cause: error })
}

/** Folders that the crawl writes to. */
function writtenFolders(store: string, { outputs, log }: CrawlOptions, folder: string): readonly string[] {
  const logs = log?.file === undefined ? [] : [log.file.path]
  const files = [localPlace(folder, store), ...outputs.map(({ path }) => path).filter((path) => path !== '-'), ...logs]
  return [...new Set(files.map((path) => dirname(resolve(folder, path))))]
}
