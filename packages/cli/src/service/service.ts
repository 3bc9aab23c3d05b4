// `avocet service print`: what systemd or pm2 needs to run a crawl, from what was typed and what the configuration says of it.
import { userInfo } from 'node:os'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AvocetError } from '@avocet/core'
import { didYouMean } from '@avocet/core/plugin'
import { checkLogPlace } from '../crawl/log-place.ts'
import type { ExitCode } from '../exit-codes.ts'
import { plannedCrawl } from '../load/plan-crawl.ts'
import { DEFAULTS } from '@avocet/core/store'
import { IN_MEMORY, localPlace, storePathOf } from '../load/store-path.ts'
import type { CrawlOptions } from '../options/crawl-options.ts'
import { writeFileText } from '../output/machines.ts'
import type { Place } from '../place.ts'
import { readPassword } from '../ui/page-password.ts'
import { type ServiceFacts, NOT_MENDED_BY_A_RESTART, RESTART_S, isBareWord, SERVICE_KINDS } from './service-facts.ts'
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

const WRITERS = { systemd: systemdUnit, pm2: pm2File } as const

/** Prints it. Throws AVO_USAGE, AVO_SPIDER_…, AVO_CONFIG_… for a crawl that would not begin. */
export async function serviceCommand({ kind, options, words }: ServiceWish, place: Place): Promise<ExitCode> {
  const { folder, stdout } = place
  const planned = await plannedCrawl(options, place).catch((error: unknown) => {
    throw unknownKind(error, options.targets)
  })
  const { config, configuredStore } = planned
  checkLogPlace(options, place)
  const { passwordPath } = options.ui ?? {}
  if (passwordPath !== undefined) await readPassword(passwordPath, { name: '--ui-password-file', folder })
  const store = options.store ?? configuredStore
  if (store === IN_MEMORY)
    throw new AvocetError(
      'AVO_USAGE',
      `service: expected a store that outlives the process, got ${IN_MEMORY}; leave out --store, or name a file`,
    )
  const { drainMs = DEFAULTS.drainMs, spider } = config
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
  const expected = `expected systemd or pm2, or a file, a URL or the name of a spider, got '${word}'`
  return new AvocetError('AVO_USAGE', `service print: ${expected}${didYouMean(word, SERVICE_KINDS)}`, { cause: error })
}

/** Folders that the crawl writes to. */
function writtenFolders(store: string, { outputs, log }: CrawlOptions, folder: string): readonly string[] {
  const logs = log?.file === undefined ? [] : [log.file.path]
  const files = [localPlace(folder, store), ...outputs.map(({ path }) => path).filter((path) => path !== '-'), ...logs]
  return [...new Set(files.map((path) => dirname(resolve(folder, path))))]
}

/** The text of the file. */
function pm2File({ name, folder, node, program, words, stopMs }: ServiceFacts): string {
  const app = {
    name: `avocet-${name}`,
    cwd: folder,
    script: program,
    args: words,
    interpreter: node,
    // One crawl has one store: processes of its own are --processes.
    exec_mode: 'fork',
    instances: 1,
    kill_timeout: stopMs,
    // Not 0: pm2 has it for a process that a signal killed, too (7.0.4, God.js: `code || 0`), and that one is to be restarted.
    stop_exit_codes: [...NOT_MENDED_BY_A_RESTART, 130, 143],
    restart_delay: RESTART_S * 1_000,
    env: { NODE_ENV: 'production' },
  }
  return `// Save as ecosystem.config.cjs, then: pm2 start ecosystem.config.cjs && pm2 save
// pm2 stops with SIGINT, and waits kill_timeout ms for requests in flight. It does not restart after the exit codes below,
// although it shows "waiting restart". It takes a crawl that has finished for one that was killed, and starts it again: stop it with pm2 stop, or pm2 delete.
module.exports = ${JSON.stringify({ apps: [app] }, null, 2)}
`
}
