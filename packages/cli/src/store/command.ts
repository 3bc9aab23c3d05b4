// The commands that are about a store alone: status, hosts; as the command line knows them.
import { AvocetError } from '@avocet/core'
import { type DeclaredCommand, JSON_FLAG, STORE_FLAG, switchFlag, valueFlag, WHICH_STORE } from '@avocet/project/command'
import { namedStore, parseDuration, textOf, type Typed } from '@avocet/project/options'
import type { HealthWish } from './health.ts'
import type { StoreWish } from './status.ts'

/** What they share. */
const OF_A_STORE = {
  arguments: '[store]',
  describes: { store: WHICH_STORE },
  flags: { ...STORE_FLAG, ...JSON_FLAG },
  read: (typed: Typed): StoreWish => ({ ...namedStore(typed), json: typed['json'] === true }),
} as const

/** `avocet status`. */
export const STATUS: DeclaredCommand<StatusWish> = {
  ...OF_A_STORE,
  name: 'status',
  examples: ['avocet status quotes', 'avocet status --check --within 2m'],
  flags: {
    check: switchFlag('Exit with 12 unless a process crawls and reports'),
    within: valueFlag('TIME', 'With --check: its last report is no older [default: 1m]'),
    here: switchFlag('With --check: count only processes of this machine'),
    ...OF_A_STORE.flags,
  },
  read: statusWishOf,
  async run({ health, ...wish }, place) {
    if (health === undefined) return (await import('./status.ts')).statusCommand(wish, place)
    return (await import('./health.ts')).healthCommand({ ...wish, ...health }, place)
  },
}

/** What was typed for `avocet status`. */
interface StatusWish extends StoreWish {
  /** With --check. */
  readonly health: Pick<HealthWish, 'maxSilenceMs' | 'here'> | undefined
}

/** Of `within`: twelve signs of life in a row did not come. */
const MAX_SILENCE = '1m'

function statusWishOf(typed: Typed): StatusWish {
  const [silence, here] = [textOf(typed, 'within'), typed['here'] === true]
  const wish = OF_A_STORE.read(typed)
  if (typed['check'] === true)
    return { ...wish, health: { maxSilenceMs: parseDuration(silence ?? MAX_SILENCE, '--within'), here } }
  const alone = silence !== undefined ? '--within' : here ? '--here' : undefined
  if (alone !== undefined) throw new AvocetError('AVO_USAGE', `status: expected --check with ${alone}, got none; add --check`)
  return { ...wish, health: undefined }
}

/** `avocet hosts`. */
export const HOSTS: DeclaredCommand<StoreWish> = {
  ...OF_A_STORE,
  name: 'hosts',
  examples: ['avocet hosts quotes'],
  run: async (wish, place) => (await import('./status.ts')).hostsCommand(wish, place),
}
