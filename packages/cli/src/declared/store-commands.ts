// The commands that read a store: status, hosts, verify, rescue, why, export.
import type { Argv, PositionalOptions } from 'yargs'
import type { WhyOptions } from '../commands/why.ts'
import type { ExportOptions } from '../commands/export.ts'
import type { RescueWish } from '../commands/rescue.ts'
import { crawlOptionsOf } from '../options/crawl-options.ts'
import { EXPORT_FLAGS, READ_FLAGS, RESCUE_FLAGS, WHY_FLAGS } from '../options/flags.ts'
import { textOf } from '../options/text-of.ts'
import type { DeclaredCommand } from './declared-command.ts'

const STORE: PositionalOptions = { describe: 'default: the only one in .avocet', type: 'string' }

const withStore = (parser: Argv): Argv => parser.positional('store', STORE)

/** What the two that only look at a store are told. */
interface Look {
  readonly store: string | undefined
  readonly json: boolean
}

/** `avocet status`. */
export const STATUS: DeclaredCommand<Look> = {
  name: 'status',
  arguments: '[store]',
  summary: 'how far a crawl is, also while it runs',
  examples: ['avocet status .avocet/quotes.db'],
  flags: READ_FLAGS,
  describe: withStore,
  read: (typed) => ({ store: textOf(typed, 'store'), json: typed['json'] === true }),
  run: async ({ store, json }, place) => (await import('../commands/status.ts')).statusCommand(store, json, place),
}

/** `avocet hosts`. */
export const HOSTS: DeclaredCommand<Look> = {
  name: 'hosts',
  arguments: '[store]',
  summary: 'the hosts of a crawl',
  examples: ['avocet hosts .avocet/quotes.db'],
  flags: READ_FLAGS,
  describe: withStore,
  read: (typed) => ({ store: textOf(typed, 'store'), json: typed['json'] === true }),
  run: async ({ store, json }, place) => (await import('../commands/hosts.ts')).hostsCommand(store, json, place),
}

/** `avocet verify`. */
export const VERIFY: DeclaredCommand<Look> = {
  name: 'verify',
  arguments: '[store]',
  summary: 'whether a store is sound: its file, and what it says',
  examples: ['avocet verify .avocet/quotes.db'],
  flags: READ_FLAGS,
  describe: withStore,
  read: (typed) => ({ store: textOf(typed, 'store'), json: typed['json'] === true }),
  run: async ({ store, json }, place) => (await import('../commands/verify.ts')).verifyCommand(store, json, place),
}

/** `avocet rescue`. */
export const RESCUE: DeclaredCommand<RescueWish> = {
  name: 'rescue',
  arguments: '[store]',
  summary: 'make a new store of what can be read of a damaged one',
  examples: ['avocet rescue .avocet/quotes.db --to .avocet/rescued.db'],
  flags: RESCUE_FLAGS,
  describe: withStore,
  read: (typed) => ({ store: textOf(typed, 'store'), to: textOf(typed, 'to'), json: typed['json'] === true }),
  run: async (wish, place) => (await import('../commands/rescue.ts')).rescueCommand(wish, place),
}

/** `avocet why`. */
export const WHY: DeclaredCommand<WhyOptions> = {
  name: 'why',
  arguments: '<target>',
  summary: 'what holds a host or a URL, and what is known of it',
  examples: ['avocet why shop.example', 'avocet why https://shop.example/offer/7 --store .avocet/offers.db'],
  flags: WHY_FLAGS,
  describe: (parser) => parser.positional('target', { describe: 'a host as avocet hosts lists it, or a URL', type: 'string' }),
  missing: 'expected a host or a URL, got nothing',
  readsEnvironment: true,
  read(typed) {
    const [store, configPath] = [textOf(typed, 'store'), textOf(typed, 'config')]
    return {
      target: textOf(typed, 'target') ?? '',
      ...(store !== undefined && { store }),
      ...(configPath !== undefined && { configPath }),
      json: typed['json'] === true,
    }
  },
  run: async (options, place) => (await import('../commands/why.ts')).whyCommand(options, place),
}

/** `avocet export`. */
export const EXPORT: DeclaredCommand<ExportOptions> = {
  name: 'export',
  arguments: '[store]',
  summary: 'write all items of a crawl',
  examples: ['avocet export -O items.csv'],
  flags: EXPORT_FLAGS,
  describe: withStore,
  read(typed) {
    const { o, O, 'csv-formulas': formulas } = typed
    const { outputs, csvFormulas } = crawlOptionsOf({ o, O, 'csv-formulas': formulas })
    return { store: textOf(typed, 'store'), outputs, csvFormulas }
  },
  run: async (options, place) => (await import('../commands/export.ts')).exportCommand(options, place),
}
